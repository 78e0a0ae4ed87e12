import type { Database } from '#dashboard/kernel/db/client.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { yieldToEventLoop } from '#dashboard/kernel/runtime/yield-to-event-loop.ts'
import {
  COMPARED_PIECE,
  deleteBefore,
  deleteFuture,
  findLastLook,
  insertStates,
  listChangedStates,
  listUncompared,
  listWatched,
  saveVersions,
  setLastLook,
} from './states.queries.ts'
import { changesBetween, versionsOf } from './versions.ts'

type Deps = Pick<CommonDeps, 'db' | 'clock'>

export const LOOK_MS = 60_000
export const COMPARE_MS = 10 * 60_000
/** The time without a look after which nobody knows what happened in it. */
const MAX_PAUSE_MS = 5 * LOOK_MS
/** The maximum of pieces of one comparison. */
const MAX_ROUNDS = 500
const DAY_MS = 24 * 3600_000
/** How long records for reports are kept: the current month, twelve before, and one to compare. */
export const REPORT_DAYS = 430

/**
 * Records the changes of the state of each site since the last look. A state is known to the minute,
 * or as exactly as the site's health is. It is unknown while no dashboard looked.
 */
export async function followStates({ db, clock }: Deps): Promise<void> {
  const now = clock.now()
  const at = now.toISOString()
  const last = (await findLastLook(db)) ?? at
  if (last > at) await deleteFuture(db, now)
  else if (now.getTime() - Date.parse(last) > MAX_PAUSE_MS) {
    const watched = await listWatched(db)
    await insertStates(
      db,
      watched.map(({ site_id }) => ({ site_id, at: last, state: 'unknown' })),
    )
  }
  await insertStates(db, await listChangedStates(db, { now, last }))
  await setLastLook(db, at)
}

/** Records which versions of WordPress, plugins and themes have changed with the last scans. */
export async function followVersions({ db, clock }: Deps): Promise<void> {
  const now = clock.now().toISOString()
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const some = await listUncompared(db)
    for (const site of some) await compareVersions(db, site, now)
    if (some.length < COMPARED_PIECE) return
    await yieldToEventLoop()
  }
}

async function compareVersions(
  db: Database,
  site: Awaited<ReturnType<typeof listUncompared>>[number],
  now: string,
): Promise<void> {
  const { id: site_id, core, inventory, last_scan: scanned_at, since, known } = site
  if (!inventory || scanned_at === null) return
  const isScanned = known?.scanned_at !== scanned_at && scanned_at < now
  const at = isScanned ? scanned_at : now
  const changes = known ? changesBetween(known, core, inventory) : []
  const row = { site_id, since: since ?? now, scanned_at, ...versionsOf(core, inventory) }
  await saveVersions(
    db,
    row,
    changes.map((change) => ({ ...change, site_id, at })),
  )
}

export const forgetStates = ({ db, clock }: Deps): Promise<void> =>
  deleteBefore(db, new Date(clock.now().getTime() - REPORT_DAYS * DAY_MS).toISOString())
