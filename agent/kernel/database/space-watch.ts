import type { Host } from '#agent/kernel/host/ports.ts'
import { sizeOf } from '#agent/kernel/host/report-progress.ts'

export const DATABASES = '/var/lib/mysql'
/** The minimum free space, more than an import writes between two checks. */
const MIN_FREE = 64 * 2 ** 20
const EVERY_MS = 200
const ENDED = 'The import was ended before it filled the disk'

interface SpaceWatch {
  options: { seen(): void; seen_ms: number }
  /** Returns the error of an import that it ended, else `error`. */
  explain(error: unknown): unknown
}

/**
 * Ends the connections of an account before its import fills the disk: then MariaDB would wait for
 * space, a minute at a time, or would abort, which ends the database of every site.
 */
export async function spaceWatch(host: Host, user: string): Promise<SpaceWatch> {
  const { free } = await host.files.space(DATABASES)
  const least = Math.min(MIN_FREE, free / 2)
  let left: number | undefined
  let isLooking = false
  const look = async () => {
    const space = await host.files.space(DATABASES)
    if (space.free >= least) return
    left ??= space.free
    await host.database.admin('end_connections', [user])
  }
  return {
    options: {
      seen() {
        if (isLooking) return
        isLooking = true
        const looked = () => {
          isLooking = false
        }
        void look().then(looked, looked)
      },
      seen_ms: EVERY_MS,
    },
    explain: (error) => (left === undefined ? error : diskError(ENDED, left, error)),
  }
}

/** Returns an error that `isDiskFull` recognises. */
export const diskError = (what: string, free: number, cause: unknown): Error =>
  new Error(`${what}: ${DATABASES} has ${sizeOf(free)} free`, { cause })
