import { asc, eq, gt, lt, sql } from 'drizzle-orm'
import { healthAt } from '#dashboard/features/health/queries.ts'
import { type Database, writeAll } from '#dashboard/kernel/db/client.ts'
import { site_states, site_versions, version_changes } from '#dashboard/kernel/db/reports-schema.ts'
import { settings, sites } from '#dashboard/kernel/db/schema.ts'
import { chunksOf } from '#dashboard/kernel/runtime/yield-to-event-loop.ts'
import type { StateChange } from './uptime.ts'
import type { Versions } from './versions.ts'

/** The settings key of the time of the last look at the states. */
const LOOK = 'site_states_at'
const PIECE = 500
/** The maximum of changes of a site in a day, after which its state counts as unknown. */
const MAX_CHANGES = 200
const DAY_MS = 24 * 3600_000

/** Returns the time of the last look; null before the first. */
export async function findLastLook(db: Database): Promise<string | null> {
  const [row] = await db.read.select().from(settings).where(eq(settings.key, LOOK))
  return typeof row?.value === 'string' ? row.value : null
}

export async function setLastLook(db: Database, value: string): Promise<void> {
  await db.write(
    (queries) =>
      queries
        .insert(settings)
        .values({ key: LOOK, value })
        .onConflictDoUpdate({ target: settings.key, set: { value } }),
    { only_readings: true },
  )
}

export interface FoundState extends StateChange {
  site_id: number
}

const LAST = sql`(select state from site_states
  where site_states.site_id = sites.id order by site_states.at desc limit 1)`

/**
 * Lists the sites whose state is another one than that recorded last, and since when it is. The
 * state itself follows from columns of the index `sites_listing`.
 */
export function listChangedStates(
  db: Database,
  { now, last }: { now: Date; last: string },
): Promise<FoundState[]> {
  const [at, day_ago] = [now.toISOString(), new Date(now.getTime() - DAY_MS).toISOString()]
  return db.read.all<FoundState>(sql`
    select site_id, state, (
      select case when health is state and health_since > ${last} and health_since <= ${at}
        then health_since else ${at} end from ${sites} where id = site_id) as at
    from (
      select site_id, before,
        case when state <> 'off' and (select count(*) from site_states as known
          where known.site_id = found.site_id and known.at > ${day_ago}) >= ${MAX_CHANGES}
          then 'unknown' else state end as state
      from (
        select ${sites.id} as site_id,
          case when ${sites.status} = 'missing' then 'unknown'
            else coalesce(${healthAt(now)}, 'off') end as state, ${LAST} as before
        from ${sites} where not ${sites.found}
      ) as found where state is not before
    ) where state is not before`)
}

/** Lists the sites whose recorded state is not true any more while nobody looks. */
export const listWatched = (db: Database): Promise<{ site_id: number }[]> =>
  db.read.all(sql`select sites.id as site_id from ${sites}
    where ${LAST} in ('up', 'degraded', 'down')`)

export async function insertStates(db: Database, found: readonly FoundState[]): Promise<void> {
  for (const some of chunksOf(found, PIECE)) {
    const rows = JSON.stringify(some.map(({ site_id, at, state }) => [site_id, at, state]))
    await writeAll(db, (queries) => [
      queries.run(sql`
        insert into site_states (site_id, at, state)
        select sites.id, row.value ->> 1, row.value ->> 2
        from json_each(${rows}) as row join sites on sites.id = row.value ->> 0
        where true
        on conflict (site_id, at) do update set state = excluded.state`),
    ])
  }
}

/** Deletes what a wrong clock has recorded for a time that has not come. */
export async function deleteFuture(db: Database, now: Date): Promise<void> {
  const at = now.toISOString()
  await writeAll(db, (queries) => [
    queries.delete(site_states).where(gt(site_states.at, at)),
    queries.update(version_changes).set({ at }).where(gt(version_changes.at, at)),
  ])
}

/** The number of sites whose inventories are in memory at the same time. */
export const COMPARED_PIECE = 20

/** Lists some sites whose versions may differ from those that were compared last. */
export function listUncompared(db: Database) {
  const { site_id, since: _, ...known } = site_versions
  return db.read
    .select({
      id: sites.id,
      core: sites.wp_version,
      inventory: sites.inventory,
      last_scan: sites.last_scan,
      since: site_versions.since,
      known: {
        core: known.core,
        plugins: known.plugins,
        themes: known.themes,
        scanned_at: known.scanned_at,
      },
    })
    .from(sites)
    .leftJoin(site_versions, eq(site_id, sites.id))
    .where(
      sql`not ${sites.found} and ${sites.inventory} is not null and ${sites.last_scan} is not null
        and (${site_id} is null or ${site_versions.scanned_at} <> ${sites.last_scan}
          or ${site_versions.core} <> ${sites.wp_version})`,
    )
    .orderBy(asc(sites.id))
    .limit(COMPARED_PIECE)
}

type FoundChange = Omit<typeof version_changes.$inferInsert, 'id'>

/** Records versions and the changes to them as one write. */
export async function saveVersions(
  db: Database,
  row: Versions & { site_id: number; since: string; scanned_at: string },
  found: readonly FoundChange[],
): Promise<void> {
  const { site_id: _, since: __, ...set } = row
  await writeAll(db, (queries) => [
    ...[...chunksOf(found, PIECE / 10)].map((some) =>
      queries.insert(version_changes).values([...some]),
    ),
    queries
      .insert(site_versions)
      .values(row)
      .onConflictDoUpdate({ target: site_versions.site_id, set }),
  ])
}

/** Deletes what no report needs any more: the last state before then is the first one after it. */
export async function deleteBefore(db: Database, at: string): Promise<void> {
  await writeAll(db, (queries) => [
    queries.run(sql`delete from site_states where at < ${at} and exists (
      select 1 from site_states as later where later.site_id = site_states.site_id
        and later.at > site_states.at and later.at <= ${at})`),
    queries.delete(version_changes).where(lt(version_changes.at, at)),
  ])
}
