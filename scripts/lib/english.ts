import { problemsIn } from './banned-phrases.ts'
import { readDocuments, readSources } from './documents.ts'

const LIST = 'scripts/lib/banned-phrases.ts'

/** One line for each banned phrase in documents and in source code; empty if there is none. */
export async function englishProblems(root: string): Promise<string[]> {
  const sources = await readSources(root)
  const own = sources.filter(({ path }) => path !== LIST && !path.startsWith('tests/'))
  return problemsIn([...(await readDocuments(root)), ...own])
}
