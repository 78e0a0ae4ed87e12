import { readFile } from 'node:fs/promises'
import { cpuUsage } from 'node:process'

/** A second has this number of ticks of processor time (sysconf(_SC_CLK_TCK)). */
const TICKS = 100
const SETTLED_MS = 5_000

/** MB that only this process has: pages of a program that others run, too, do not count. */
export async function privateMemory(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8')
  const kB = [...text.matchAll(/^Private_(?:Clean|Dirty): +(\d+) kB$/gm)]
  return kB.reduce((sum, [, each]) => sum + Number(each), 0) / 1000
}

/** The same when the process has done nothing for some seconds. */
export async function idleMemory(pid: number): Promise<number> {
  await Bun.sleep(SETTLED_MS)
  return privateMemory(pid)
}

/** Returns milliseconds of processor time since its start, of all its threads. */
export async function processorTime(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return ((Number(user) + Number(system)) * 1000) / TICKS
}

/** Returns milliseconds of processor time that some work takes, of all threads of this process. */
export async function ownProcessorTime(work: () => Promise<unknown>): Promise<number> {
  const before = cpuUsage()
  await work()
  const { user, system } = cpuUsage(before)
  return (user + system) / 1000
}
