import type { Document } from './documents.ts'

export interface BannedPhrase {
  phrase: RegExp
  instead: string
  /** Places in the source code that are not rewritten yet; it may only become smaller. */
  left: number
}

/** Phrases that readers had to decode. Documents contain none of them. */
export const BANNED_PHRASES: readonly BannedPhrase[] = [
  { phrase: /\bunder way\b/i, instead: 'running', left: 0 },
  { phrase: /\bof before\b/i, instead: 'previous', left: 0 },
  { phrase: /\bof now\b/i, instead: 'current', left: 0 },
  { phrase: /\basking for the front page\b/i, instead: 'checking the front page', left: 0 },
  { phrase: /\bmade up and\b/i, instead: 'generated and', left: 0 },
  { phrase: /\bheard of\b/i, instead: 'contacted, known', left: 0 },
  {
    phrase: /\b(?:is|are|was|were|be|been|while|those) away\b/i,
    instead: 'offline, unreachable',
    left: 0,
  },
  {
    phrase: /\b(?:is|are|was|were|be|been) told\b(?! apart)/i,
    instead: 'returned, reported, received',
    left: 0,
  },
  { phrase: /\bgravest\b/i, instead: 'most severe', left: 0 },
  { phrase: /\bfor good\b/i, instead: 'permanently', left: 0 },
  { phrase: /\banew\b/i, instead: 'again', left: 0 },
  { phrase: /\bat leisure\b/i, instead: 'suggestions', left: 0 },
  { phrase: /\bmend(?:s|ed)?\b(?!\()/i, instead: 'correct, repair, fix', left: 0 },
  { phrase: /\bmakes? room for the\b/i, instead: 'is rolled back to, is replaced by', left: 0 },
  { phrase: /\bkept nowhere\b/i, instead: 'not stored', left: 0 },
  { phrase: /\bis root's\b/i, instead: 'belongs to root, root can', left: 0 },
  { phrase: /\bcertifying\b/i, instead: 'requesting a certificate', left: 1 },
  { phrase: /\bnot known of\b/i, instead: 'unknown', left: 0 },
  { phrase: /\bwhat who\b/i, instead: 'a noun', left: 0 },
  { phrase: /\bnobody has on record\b/i, instead: 'unknown', left: 0 },
  { phrase: /\bnothing on record\b/i, instead: 'no matching entries', left: 0 },
  { phrase: /\bmany at once\b/i, instead: 'bulk operations', left: 0 },
  { phrase: /\bthe version before\b/i, instead: 'the previous version', left: 0 },
  { phrase: /\bno way back\b/i, instead: 'point of no return', left: 0 },
  { phrase: /\bshown this once\b/i, instead: 'shown only once', left: 0 },
  { phrase: /\bnot to be had\b/i, instead: 'not available', left: 0 },
  { phrase: /\bleft to a human\b/i, instead: 'left for an administrator', left: 0 },
  { phrase: /\basks? nobody\b/i, instead: 'without authentication, does not query', left: 0 },
  { phrase: /\bstands? in the way\b/i, instead: 'prevents, obstacle', left: 0 },
  { phrase: /\bsaid of itself\b/i, instead: 'reported', left: 0 },
  { phrase: /\bas it goes on\b/i, instead: 'live', left: 0 },
  { phrase: /\btried again by itself\b/i, instead: 'retried automatically', left: 0 },
  { phrase: /\bkeeps? ending\b/i, instead: 'restarts repeatedly', left: 0 },
  { phrase: /\bdoomed\b/i, instead: 'to delete', left: 0 },
]

export interface Occurrence {
  path: string
  line: number
  instead: string
  text: string
}

/** Where texts contain one of the phrases. */
export function findPhrases(
  texts: readonly Document[],
  { phrase, instead }: BannedPhrase,
): Occurrence[] {
  const some = texts.filter(({ text }) => phrase.test(text))
  return some.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, at) => {
      return phrase.test(line) ? [{ path, line: at + 1, instead, text: line.trim() }] : []
    }),
  )
}
