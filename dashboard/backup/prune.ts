import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { PARTIAL } from './back-up.ts'

const DAY_MS = 24 * 3600_000

/** Keeps the newest `count` files with this prefix; their names contain the time. */
export async function prune(folder: string, prefix: string, count: number): Promise<void> {
  const names = (await namesIn(folder)).filter((name) => name.startsWith(prefix)).sort()
  for (const name of names.slice(0, Math.max(0, names.length - count)))
    await rm(join(folder, name), { force: true })
}

/** Files of a killed backup. */
export async function removePartial(folder: string, now: Date): Promise<void> {
  for (const name of await namesIn(folder))
    if (name.startsWith(PARTIAL) && (await ageOf(join(folder, name), now)) > DAY_MS)
      await rm(join(folder, name), { force: true })
}

/** Whether one of these was created less than a day before or, by a wrong clock, after now. */
export async function hasOfToday(folder: string, prefix: string, now: Date): Promise<boolean> {
  const names = (await namesIn(folder)).filter((name) => name.startsWith(prefix))
  const ages = await Promise.all(names.map((name) => ageOf(join(folder, name), now)))
  return ages.some((age) => Math.abs(age) < DAY_MS)
}

async function ageOf(path: string, now: Date): Promise<number> {
  const found = await stat(path).catch(() => undefined)
  return found ? now.getTime() - found.mtimeMs : 0
}

function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => [])
}
