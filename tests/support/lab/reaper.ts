import { sweepRun } from './sweep.ts'

/**
 * The process that cleans up after a run: the run holds the other end of its standard input, so any
 * end of the run is an end of file here.
 */
const [run = ''] = process.argv.slice(2)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
process.stdin.on('data', () => undefined)
process.stdin.on('end', async () => {
  await sweepRun(run)
  process.exit(0)
})
