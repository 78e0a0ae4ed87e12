import { join } from 'node:path'
import { englishProblems } from './lib/banned-phrases.ts'
import { fail } from './lib/fail.ts'

/** Lists the banned phrases in documents and in the source code. */
async function main(): Promise<void> {
  const problems = await englishProblems(join(import.meta.dir, '..'))
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) throw new Error(`${problems.length} problems, see above`)
}

await main().catch(fail)
