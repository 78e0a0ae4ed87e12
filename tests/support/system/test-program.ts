import { mkdir, rename } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { buildOnce } from '#scripts/lib/built-from.ts'
import { draftIn } from '#scripts/lib/draft.ts'
import { withLock } from '#tests/support/lab/lock.ts'
import { must } from '#tests/support/lab/run.ts'

/** All that an agent of the tests can import. */
const INPUTS = ['{agent,shared}/**/*', 'tests/support/**/*.ts']

/**
 * Compiles a program of the tests, such as an agent that fails on request, to an executable in
 * `dist/` and returns its path. Files that run beside each other share it: it is built once for its
 * sources, and replaced atomically.
 */
export async function testProgram(source: string): Promise<string> {
  const file = join('dist', basename(source, '.ts'))
  await mkdir('dist', { recursive: true })
  const inputs = { root: '.', globs: INPUTS, options: source }
  await withLock(`${file}.lock`, () =>
    buildOnce(file, inputs, async () => {
      await using draft = await draftIn('dist')
      const outfile = join(draft.path, basename(file))
      await must([process.execPath, 'build', '--compile', `--outfile=${outfile}`, source])
      await rename(outfile, file)
    }),
  )
  return file
}
