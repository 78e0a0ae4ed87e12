import { readFile, rm, writeFile } from 'node:fs/promises'
import type { Manifest } from './manifest.ts'

const pathIn = (data_dir: string) => `${data_dir}/restored`

/** Marks the records as restored, which the next start of the dashboard looks for. */
export async function markRestored(data_dir: string, { made_at }: Manifest): Promise<void> {
  await writeFile(pathIn(data_dir), `${made_at}\n`, { mode: 0o600 })
}

/** Returns the time of the backup that was restored; undefined when none was. */
export async function findRestored(data_dir: string): Promise<string | undefined> {
  return (await readFile(pathIn(data_dir), 'utf8').catch(() => undefined))?.trim()
}

export async function forgetRestored(data_dir: string): Promise<void> {
  await rm(pathIn(data_dir), { force: true })
}
