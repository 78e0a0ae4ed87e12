import {
  BANNED_PHRASES,
  type BannedPhrase,
  findPhrases,
  type Occurrence,
} from './banned-phrases.ts'
import { type Document, readDocuments, readSources } from './documents.ts'

const LIST = 'scripts/lib/banned-phrases.ts'

/** One line for each problem; empty if there is none. */
export async function englishProblems(root: string): Promise<string[]> {
  const all = await readSources(root)
  const sources = all.filter(({ path }) => path !== LIST && !path.startsWith('tests/'))
  return problemsIn(await readDocuments(root), sources, BANNED_PHRASES)
}

export function problemsIn(
  documents: readonly Document[],
  sources: readonly Document[],
  phrases: readonly BannedPhrase[],
): string[] {
  return phrases.flatMap((banned) => {
    const found = findPhrases(sources, banned)
    return [
      ...findPhrases(documents, banned).map(describe),
      ...(found.length > banned.left ? found.map(describe) : []),
    ]
  })
}

const describe = ({ path, line, instead, text }: Occurrence) =>
  `${path}:${line}: write "${instead}" in: ${text.slice(0, 120)}`
