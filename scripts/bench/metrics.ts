import process from 'node:process'
import { fail } from '#scripts/lib/fail.ts'
import { type Running, startAgent, sweep } from '#tests/support/processes.ts'
import { report } from './lib/figure.ts'
import { privateMemory, processorTime } from './lib/process.ts'

const READINGS = 1_000
const TRIES = 3
const PROMISED = 0.05
const PORT = 19_100

/**
 * The processor time of one reading of a server: `/metrics` of the agent beside node_exporter with
 * all that Debian switches on, each over one kept connection. Exits with status 1 if the agent
 * takes more than a twentieth, or an answer is none.
 */
async function main(): Promise<void> {
  const agent = await startAgent('the executable')
  const exporter = Bun.spawn(
    ['prometheus-node-exporter', `--web.listen-address=127.0.0.1:${PORT}`, '--log.level=error'],
    { stdout: 'ignore', stderr: 'ignore' },
  )
  try {
    const readings = {
      agent: { pid: agent.pid, url: `${agent.url}/metrics`, contains: '"cpu"' },
      exporter: {
        pid: exporter.pid,
        url: `http://127.0.0.1:${PORT}/metrics`,
        contains: 'node_memory_MemTotal_bytes',
      },
    }
    await ready(readings.exporter)
    // The first readings compile code.
    for (const reading of [readings.agent, readings.exporter]) await costOf(reading)
    const [ours, theirs] = [await best(readings.agent), await best(readings.exporter)]
    console.log(`memory   agent ${(await privateMemory(agent.pid)).toFixed(1)} MB`)
    console.log(`memory   node_exporter ${(await privateMemory(exporter.pid)).toFixed(1)} MB`)
    const met = report({
      ...{ name: 'processor time of a reading', unit: 'ms', at_most: PROMISED },
      ...{ ours, against: theirs },
    })
    if (!met) throw new Error('a reading takes too long')
  } finally {
    exporter.kill()
    await exporter.exited
  }
}

interface Reading {
  pid: Running['pid']
  url: string
  contains: string
}

async function read({ url, contains }: Reading): Promise<void> {
  const answer = await fetch(url)
  const text = await answer.text()
  if (answer.status !== 200 || !text.includes(contains)) {
    throw new Error(`${url} answers ${answer.status}: ${text.slice(0, 200)}`)
  }
}

async function ready(reading: Reading): Promise<void> {
  for (let left = 100; ; left--) {
    const problem = await read(reading).then(
      () => undefined,
      (error: unknown) => error,
    )
    if (problem === undefined) return
    if (left === 0) throw problem
    await Bun.sleep(100)
  }
}

/** Milliseconds of processor time of one reading. */
async function costOf(reading: Reading): Promise<number> {
  const before = await processorTime(reading.pid)
  for (let count = 0; count < READINGS; count++) await read(reading)
  return ((await processorTime(reading.pid)) - before) / READINGS
}

async function best(reading: Reading): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let turn = 0; turn < TRIES; turn++) least = Math.min(least, await costOf(reading))
  return least
}

await main()
  .finally(sweep)
  .then(() => process.exit(0), fail)
