import { stampOf } from '#dashboard/kernel/runtime/files.ts'
import type { Log } from '#dashboard/kernel/runtime/log.ts'
import { LOW_PRIORITY } from '#dashboard/kernel/runtime/low-priority.ts'
import { PROGRAM } from '#dashboard/kernel/runtime/program-paths.ts'
import { hasOfToday, pruneBackups, removePartial } from './prune-backups.ts'

interface Deps {
  folder: string
  /** The number of kept backups; 0: none is created. */
  kept: number
  now(): Date
  log: Log
  /** Creates a backup; throws with the reason of a failure. */
  backUp(path: string): Promise<void>
  /** Whether the time of day is proven: otherwise nothing is deleted by its age. */
  mayDelete(): Promise<boolean>
  /** Whether a backup is requested, although there may be one of today. */
  isRequested?: boolean
}

const PREFIX = 'daily-'

/** Creates the backup of the day if it is missing. Never throws: the dashboard runs without it. */
export async function backUpDaily(deps: Deps): Promise<void> {
  const { folder, kept, now, log, backUp, mayDelete, isRequested = false } = deps
  const time = now()
  if (kept === 0) return
  if (!isRequested && (await hasOfToday(folder, PREFIX, time))) return
  try {
    const isPruned = await mayDelete()
    if (isPruned) await removePartial(folder, time)
    await backUp(`${folder}/${PREFIX}${stampOf(time)}.tar`)
    if (isPruned) await pruneBackups(folder, PREFIX, kept, time)
    log.info('backup created', { folder })
  } catch (error) {
    log.error('backup failed', error, { folder })
  }
}

/** Creates a backup in a process of its own: SQLite copies a large database at once. */
export async function backUpAside(path: string, { with_secrets = false } = {}): Promise<void> {
  const words = ['backup', ...(with_secrets ? ['--with-secrets'] : []), path]
  const child = Bun.spawn([...LOW_PRIORITY, ...PROGRAM, ...words], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  child.unref()
  const [status, errors] = await Promise.all([child.exited, new Response(child.stderr).text()])
  if (status !== 0)
    throw new Error(errors.trim().split('\n')[0] ?? `The process ended with status ${status}`)
}
