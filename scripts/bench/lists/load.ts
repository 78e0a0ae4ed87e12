import { readFile } from 'node:fs/promises'
import { must } from '#scripts/lib/run.ts'

const SECONDS = 3
const CONNECTIONS = 16
/** USER_HZ of Linux on all its architectures that Bun runs on: proc_pid_stat(5). */
const TICKS = 100

/**
 * The requests that wrk gets answered with 2xx in each second of the server's processor time, so
 * that other work of the machine does not count. Throws if any other answer comes.
 */
export async function requestsPerSecond(server: { pid: number }, url: string, cookie = '') {
  const load = ['wrk', '-t1', `-c${CONNECTIONS}`, `-d${SECONDS}s`, '-H', `Cookie: ${cookie}`, url]
  const before = await processorTime(server.pid)
  const output = await must(load)
  const used = (await processorTime(server.pid)) - before
  if (/Non-2xx|Socket errors/.test(output)) throw new Error(`not every answer is 2xx: ${output}`)
  const requests = /^\s*(\d+) requests in/m.exec(output)?.[1]
  if (requests === undefined) throw new Error(`wrk counts no requests: ${output}`)
  return Number(requests) / used
}

/** In seconds, of all threads. */
async function processorTime(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS
}
