import type { Document } from './documents.ts'

export interface BannedPhrase {
  phrase: RegExp
  instead: string
  /** Places in the source code that are not rewritten yet; it may only become smaller. */
  left: number
}

/** Phrases that readers had to decode. Documents contain none of them. */
export const BANNED_PHRASES: readonly BannedPhrase[] = [
  { phrase: /\bunder way\b/i, instead: 'running', left: 48 },
  { phrase: /\bof before\b/i, instead: 'previous', left: 9 },
  { phrase: /\bof now\b/i, instead: 'current', left: 6 },
  { phrase: /\basking for the front page\b/i, instead: 'checking the front page', left: 1 },
  { phrase: /\bmade up and\b/i, instead: 'generated and', left: 1 },
  { phrase: /\bheard of\b/i, instead: 'contacted, known', left: 17 },
  {
    phrase: /\b(?:is|are|was|were|be|been|while|those) away\b/i,
    instead: 'offline, unreachable',
    left: 42,
  },
  {
    phrase: /\b(?:is|are|was|were|be|been) told\b(?! apart)/i,
    instead: 'returned, reported, received',
    left: 39,
  },
  { phrase: /\bgravest\b/i, instead: 'most severe', left: 7 },
  { phrase: /\bfor good\b/i, instead: 'permanently', left: 21 },
  { phrase: /\banew\b/i, instead: 'again', left: 31 },
  { phrase: /\bat leisure\b/i, instead: 'suggestions', left: 2 },
  { phrase: /\bmend(?:s|ed)?\b(?!\()/i, instead: 'correct, repair, fix', left: 15 },
  { phrase: /\bmakes? room for the\b/i, instead: 'is rolled back to, is replaced by', left: 0 },
  { phrase: /\bkept nowhere\b/i, instead: 'not stored', left: 6 },
  { phrase: /\bis root's\b/i, instead: 'belongs to root, root can', left: 5 },
  { phrase: /\bcertifying\b/i, instead: 'requesting a certificate', left: 3 },
  { phrase: /\bnot known of\b/i, instead: 'unknown', left: 1 },
  { phrase: /\bwhat who\b/i, instead: 'a noun', left: 0 },
  { phrase: /\bnobody has on record\b/i, instead: 'unknown', left: 0 },
  { phrase: /\bnothing on record\b/i, instead: 'no matching entries', left: 1 },
  { phrase: /\bmany at once\b/i, instead: 'bulk operations', left: 5 },
  { phrase: /\bas it goes on\b/i, instead: 'live', left: 3 },
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
