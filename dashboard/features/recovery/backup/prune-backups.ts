import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { stampOf } from '#dashboard/kernel/runtime/files.ts'
import { isDue, MAX_CLOCK_DIFFERENCE_MS } from '#shared/kernel/age.ts'
import { PARTIAL } from './back-up.ts'

const DAY_MS = 24 * 3600_000

/**
 * Keeps the newest `count` files with this prefix; their names contain the time. A file of the future
 * counts as the oldest: otherwise each new one would be deleted in its place.
 */
export async function pruneBackups(
  folder: string,
  prefix: string,
  count: number,
  now: Date,
): Promise<void> {
  const latest = `${prefix}${stampOf(new Date(now.getTime() + MAX_CLOCK_DIFFERENCE_MS))}`
  const all = (await namesIn(folder)).filter((name) => name.startsWith(prefix)).sort()
  const isAhead = (name: string) => name > `${latest}.tar`
  const names = [...all.filter(isAhead), ...all.filter((name) => !isAhead(name))]
  for (const name of names.slice(0, Math.max(0, names.length - count)))
    await rm(join(folder, name), { force: true })
}

export async function removePartial(folder: string, now: Date): Promise<void> {
  for (const name of await namesIn(folder))
    if (name.startsWith(PARTIAL) && isDue(await timeOf(join(folder, name)), DAY_MS, now))
      await rm(join(folder, name), { force: true })
}

/** Whether one of these was created less than a day before. */
export async function hasOfToday(folder: string, prefix: string, now: Date): Promise<boolean> {
  const names = (await namesIn(folder)).filter((name) => name.startsWith(prefix))
  const times = await Promise.all(names.map((name) => timeOf(join(folder, name))))
  return times.some((time) => !isDue(time, DAY_MS, now))
}

/** Returns the time in ms; null for a file that was removed meanwhile. */
async function timeOf(path: string): Promise<number | null> {
  return (await stat(path).catch(() => undefined))?.mtimeMs ?? null
}

function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => [])
}
