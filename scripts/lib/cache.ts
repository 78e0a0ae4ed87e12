import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { draftIn } from './draft.ts'

const MARK = '.made-from'

/** Returns `$XDG_CACHE_HOME/hosting-control` or `~/.cache/hosting-control`, made when missing. */
export async function cacheFolder(): Promise<string> {
  const base = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
  const folder = join(base, 'hosting-control')
  await mkdir(folder, { recursive: true })
  return folder
}

/**
 * Returns the cached folder `name`, complete and made from `source`, or missing: `make` fills a
 * draft, which gets the name only when it is finished. Another `source` creates it again. If two
 * processes make it at once, the first one's stays.
 */
export async function cachedFolder(
  name: string,
  source: string,
  make: (draft: string) => Promise<void>,
): Promise<string> {
  const cache = await cacheFolder()
  const folder = join(cache, name)
  if (await isMadeFrom(folder, source)) return folder

  await using draft = await draftIn(cache, `.${name}-`)
  await chmod(draft.path, 0o755)
  await make(draft.path)
  await writeFile(join(draft.path, MARK), `${source}\n`)
  if (!(await isMadeFrom(folder, source))) await replace(folder, draft.path)
  return folder
}

async function isMadeFrom(folder: string, source: string): Promise<boolean> {
  const mark = await readFile(join(folder, MARK), 'utf8').catch(() => '')
  return mark.trim() === source
}

/** A rename removes the old folder too, so that nobody ever sees a part of either. */
async function replace(folder: string, draft: string): Promise<void> {
  if (existsSync(folder)) await rename(folder, join(draft, '.old'))
  await rename(draft, folder)
  await rm(join(folder, '.old'), { recursive: true, force: true })
}
