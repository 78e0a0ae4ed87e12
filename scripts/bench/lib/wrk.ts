import { must } from '#scripts/lib/run.ts'
import { processorTime } from './measure.ts'

const SECONDS = Number(process.env.SECONDS ?? 3)
const CONNECTIONS = 16

interface Target {
  url: string
  cookie?: string | undefined
}

/**
 * Sends requests with wrk to all targets at the same time. Returns the answers in each second of the
 * processor time of these processes, so that other work of the machine does not count. Throws if an
 * answer is not 2xx.
 */
export async function answersPerSecond(
  targets: readonly Target[],
  pids: readonly number[],
): Promise<number> {
  const before = await timeOf(pids)
  const counts = await Promise.all(targets.map(answers))
  return (1000 * sum(counts)) / ((await timeOf(pids)) - before)
}

async function answers({ url, cookie = '' }: Target): Promise<number> {
  const load = ['wrk', '-t1', `-c${CONNECTIONS}`, `-d${SECONDS}s`, '-H', `Cookie: ${cookie}`, url]
  const output = await must(load)
  if (/Non-2xx|Socket errors/.test(output)) throw new Error(`not every answer is 2xx: ${output}`)
  const requests = /^\s*(\d+) requests in/m.exec(output)?.[1]
  if (requests === undefined) throw new Error(`wrk counts no requests: ${output}`)
  return Number(requests)
}

const timeOf = async (pids: readonly number[]) => sum(await Promise.all(pids.map(processorTime)))

const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0)
