import { existsSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { withLock } from './lock.ts'
import { must } from './run.ts'

/** `$XDG_CACHE_HOME/hosting-control/lab`, made when missing. */
export async function cacheFolder(): Promise<string> {
  const base = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const folder = join(base, 'hosting-control', 'lab')
  await mkdir(folder, { recursive: true })
  return folder
}

/**
 * The cached folder `name`, built at most once: `build` fills a draft under a lock, and the
 * draft gets its name only when it is whole.
 */
export async function cached(
  name: string,
  build: (draft: string) => Promise<void>,
): Promise<string> {
  const folder = join(await cacheFolder(), name)
  if (existsSync(folder)) return folder
  return withLock(`${folder}.lock`, async () => {
    if (existsSync(folder)) return folder
    const draft = `${folder}.draft`
    await removeTree(draft)
    await mkdir(draft, { recursive: true })
    await build(draft)
    await rename(draft, folder)
    return folder
  })
}

/** Never crosses a mount point: a forgotten bind mount must not lose its source. */
export async function removeTree(path: string): Promise<void> {
  await must(['rm', '-rf', '--one-file-system', path])
}
