import { readFile } from 'node:fs/promises'

/** Of a second: what the kernel counts processor time in (sysconf(_SC_CLK_TCK)). */
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

/** Milliseconds of processor time since its start, of all its threads. */
export async function processorTime(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return ((Number(user) + Number(system)) * 1000) / TICKS
}
