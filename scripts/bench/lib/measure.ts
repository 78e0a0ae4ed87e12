import { readFile } from 'node:fs/promises'
import { cpuUsage } from 'node:process'

/** Returns the duration of some work in milliseconds. */
export async function timed(work: () => unknown): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/**
 * Returns what `of` makes of several attempts of each measurement, such as their median. They
 * alternate, so that a slow moment of the machine affects all.
 */
export async function alternating<Name extends string>(
  tries: number,
  of: (values: number[]) => number,
  measurements: Record<Name, () => Promise<number>>,
): Promise<Record<Name, number>> {
  const entries = Object.entries(measurements) as [Name, () => Promise<number>][]
  const values = new Map(entries.map(([name]): [Name, number[]] => [name, []]))
  for (let turn = 0; turn < tries; turn++)
    for (const [name, measure] of entries) values.get(name)?.push(await measure())
  const found = [...values].map(([name, all]) => [name, of(all)] as const)
  return Object.fromEntries(found) as Record<Name, number>
}

/** Returns the shortest time: other work of the machine only adds to it. */
export const least = (values: readonly number[]): number => Math.min(...values)

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** Returns the median; of an even number of values the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const half = sorted.length / 2
  return (
    ((sorted[Math.floor(half)] ?? Number.NaN) + (sorted[Math.ceil(half) - 1] ?? Number.NaN)) / 2
  )
}

/** Returns the value below which this share of all values is. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

/** A second has this number of ticks of processor time (sysconf(_SC_CLK_TCK)). */
const TICKS = 100
const SETTLED_MS = 5_000

/** Returns the MB that only this process has: pages of a program that others run, too, do not count. */
export async function privateMemory(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8')
  const kB = [...text.matchAll(/^Private_(?:Clean|Dirty): +(\d+) kB$/gm)]
  return kB.reduce((sum, [, each]) => sum + Number(each), 0) / 1000
}

/** Returns the same when the process has done nothing for some seconds. */
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
