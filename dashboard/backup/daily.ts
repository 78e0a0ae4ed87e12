import type { Log } from '#dashboard/runtime/log.ts'
import { stampOf } from './files.ts'
import { hasOfToday, prune, removePartial } from './prune.ts'

interface Deps {
  /** Where the backups of each day are. */
  folder: string
  /** How many of them; 0: none is made. */
  kept: number
  now(): Date
  log: Log
  /** Makes a backup; throws when it could not, with a message that says why. */
  backUp(path: string): Promise<void>
}

const PREFIX = 'daily-'

/** Makes the backup of the day when there is none. Never throws: the dashboard goes on without it. */
export async function backUpDaily({ folder, kept, now, log, backUp }: Deps): Promise<void> {
  const time = now()
  if (kept === 0 || (await hasOfToday(folder, PREFIX, time))) return
  try {
    await removePartial(folder, time)
    await backUp(`${folder}/${PREFIX}${stampOf(time)}.tar`)
    await prune(folder, PREFIX, kept)
    log.info('backup made', { folder })
  } catch (error) {
    log.error('no backup could be made', error, { folder })
  }
}

/** In a process of its own: SQLite copies a large database in one go, and nobody is to wait for it. */
export async function backUpAside(path: string): Promise<void> {
  const child = Bun.spawn([process.execPath, `${import.meta.dir}/../main.ts`, 'backup', path], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  child.unref()
  const [status, said] = await Promise.all([child.exited, new Response(child.stderr).text()])
  if (status !== 0) throw new Error(said.trim().split('\n')[0] ?? `it ended with ${status}`)
}
