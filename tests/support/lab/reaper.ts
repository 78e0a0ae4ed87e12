import { sweepRun } from './sweep.ts'

/**
 * The process that clears up after a run: the run holds the other end of its standard input,
 * so that the end of the run, however it comes about, is the end of the file here.
 */
const [run = ''] = process.argv.slice(2)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
process.stdin.on('data', () => undefined)
process.stdin.on('end', async () => {
  await sweepRun(run)
  process.exit(0)
})
