import { type Document, readDocuments, readSources } from './documents.ts'

/** Phrases that readers had to decode, and what to write instead. */
const BANNED_PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\bunder way\b/i, 'running'],
  [/\bof before\b/i, 'previous'],
  [/\bof now\b/i, 'current'],
  [/\basking for the front page\b/i, 'checking the front page'],
  [/\bmade up and\b/i, 'generated and'],
  [/\bheard of\b/i, 'contacted, known'],
  [/\b(?:is|are|was|were|be|been|while|those) away\b/i, 'offline, unreachable'],
  [/\b(?:is|are|was|were|be|been) told\b(?! apart)/i, 'returned, reported, received'],
  [/\bgravest\b/i, 'most severe'],
  [/\bfor good\b/i, 'permanently'],
  [/\banew\b/i, 'again'],
  [/\bat leisure\b/i, 'suggestions'],
  [/\bmend(?:s|ed)?\b(?!\()/i, 'correct, repair, fix'],
  [/\bmakes? room for the\b/i, 'is rolled back to, is replaced by'],
  [/\bkept nowhere\b/i, 'not stored'],
  [/\bis root's\b/i, 'belongs to root, root can'],
  [/\bcertifying\b/i, 'requesting a certificate'],
  [/\bnot known of\b/i, 'unknown'],
  [/\bwhat who\b/i, 'a noun'],
  [/\bnobody has on record\b/i, 'unknown'],
  [/\bnothing on record\b/i, 'no matching entries'],
  [/\bmany at once\b/i, 'bulk operations'],
  [/\bthe version before\b/i, 'the previous version'],
  [/\bno way back\b/i, 'point of no return'],
  [/\bshown this once\b/i, 'shown only once'],
  [/\bnot to be had\b/i, 'not available'],
  [/\bleft to a human\b/i, 'left for an administrator'],
  [/\basks? nobody\b/i, 'without authentication, does not query'],
  [/\bstands? in the way\b/i, 'prevents, obstacle'],
  [/\bsaid of itself\b/i, 'reported'],
  [/\bgo(?:es|ing)? on\b/i, 'continues, keeps working'],
  [/\bga?ve no (?:answer|list)\b/i, 'returned no answer'],
  [/\bforwards? no more\b/i, 'stops forwarding'],
  [/\bnam(?:es?|ed|ing) (?:its|the|a) visitors?\b/i, 'reports the address of the visitor'],
  [/\bma(?:kes?|ke|de) way\b/i, 'is removed for'],
  [/\btells? of\b/i, 'reports'],
  [/\bwhat becomes? of\b|\bwhat became of\b/i, 'the result of, the state of'],
  [/\bunheard\b/i, 'not reported'],
  [/\btried again by itself\b/i, 'retried automatically'],
  [/\bkeeps? ending\b/i, 'restarts repeatedly'],
  [/\bdoomed\b/i, 'to delete'],
]

/** One line for each place where the texts contain a banned phrase. */
export function problemsIn(texts: readonly Document[], phrases = BANNED_PHRASES): string[] {
  return phrases.flatMap(([phrase, instead]) =>
    texts
      .filter(({ text }) => phrase.test(text))
      .flatMap(({ path, text }) =>
        text.split('\n').flatMap((line, at) => {
          const place = `${path}:${at + 1}`
          return phrase.test(line)
            ? [`${place}: write "${instead}" in: ${line.trim().slice(0, 120)}`]
            : []
        }),
      ),
  )
}

const LIST = 'scripts/lib/banned-phrases'

/** One line for each banned phrase in documents, source code and tests; empty if there is none. */
export async function englishProblems(root: string): Promise<string[]> {
  const sources = await readSources(root)
  const own = sources.filter(({ path }) => !path.replace(/^tests\//, '').startsWith(LIST))
  return problemsIn([...(await readDocuments(root)), ...own])
}
