import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { testFiles } from './test/files.ts'

/** Runs the tests of one part in parallel, with few inputs each: `unit`, or the given one. */
const [part = 'unit'] = process.argv.slice(2)
const all = await testFiles(join(import.meta.dir, '..'))
const files = all.filter((file) => file.part === part).map(({ path }) => path)
if (files.length === 0) throw new Error(`No tests of part ${part}`)
const argv = [
  'test',
  '--only-failures',
  '--timeout=60000',
  // Some tests wait for slow work: others run meanwhile.
  `--parallel=${2 * availableParallelism()}`,
  '--no-isolate',
  ...files.map((file) => `./${file}`),
]
const { exited } = Bun.spawn([process.execPath, ...argv], {
  env: { ...process.env, HOSTING_QUICK: '1' },
  stdio: ['inherit', 'inherit', 'inherit'],
})
process.exitCode = await exited
