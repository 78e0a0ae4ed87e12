import { and, eq, isNotNull, or, sql } from 'drizzle-orm'
import { inlineInteger } from '#dashboard/features/metrics/queries.ts'
import { type Database, writeAll } from '#dashboard/kernel/db/client.ts'
import { server_numbers, site_days, site_minutes } from '#dashboard/kernel/db/numbers-schema.ts'
import { operations, sites } from '#dashboard/kernel/db/schema.ts'
import { chunksOf } from '#dashboard/kernel/runtime/yield-to-event-loop.ts'
import { NUMBERS, type Numbers, type SiteCount, type Sizes } from '#shared/metrics/site-numbers.ts'

const COLUMN_NAMES = sql.raw(NUMBERS.join(', '))
const SIZES = ['files', 'database', 'cache', 'mail'] as const

/** The values of the columns after the domain and the time. */
const COLUMN_VALUES = sql.raw(NUMBERS.map((_, place) => `row.value ->> ${place + 2}`).join(', '))
/** The assignments that keep the higher count: a count that an agent began again is smaller. */
const KEEP_HIGHEST = sql.raw(
  NUMBERS.map((name) => `${name} = max(${name}, excluded.${name})`).join(', '),
)
const SIZE_VALUES = sql.raw(
  SIZES.map((_, at) => `row.value ->> ${NUMBERS.length + 2 + at}`).join(', '),
)
const KEEP_NEWEST = sql.raw(
  SIZES.map((name) => `${name} = coalesce(excluded.${name}, ${name})`).join(', '),
)

/** The number of the column of refused requests, which are counted for days alone. */
const REFUSED = sql.raw(`row.value ->> ${NUMBERS.length + 2 + SIZES.length}`)
const KEEP_REFUSED = sql.raw(
  'refused = coalesce(max(refused, excluded.refused), excluded.refused, refused)',
)

const PIECE = 500

export async function readSince(db: Database, server_id: number): Promise<number> {
  const of = eq(server_numbers.server_id, server_id)
  const [row] = await db.read.select().from(server_numbers).where(of)
  return row?.at ?? 0
}

/** Stores the counts of the managed sites of the server; other sites are skipped. */
export async function storeCounts(
  db: Database,
  server_id: number,
  found: readonly SiteCount[],
): Promise<void> {
  const minutes = found.flatMap(({ domain, minutes }) =>
    minutes.map(({ at, values }) => [domain, at, ...values]),
  )
  const days = found.flatMap(({ domain, days }) =>
    days.map(({ at, values, sizes, refused = null }) => [
      domain,
      at,
      ...values,
      ...SIZES.map((name) => sizes[name]),
      refused,
    ]),
  )
  const from = (rows: readonly unknown[]) => sql`
    from json_each(${JSON.stringify(rows)}) as row
    join sites on sites.domain = row.value ->> 0 and sites.server_id = ${server_id}
      and not sites.found
    where true`
  for (const rows of chunksOf(minutes, PIECE))
    await writeAll(db, (queries) => [
      queries.run(sql`
        insert into site_minutes (site_id, at, ${COLUMN_NAMES})
        select sites.id, row.value ->> 1, ${COLUMN_VALUES} ${from(rows)}
        on conflict (site_id, at) do update set ${KEEP_HIGHEST}`),
    ])
  for (const rows of chunksOf(days, PIECE))
    await writeAll(db, (queries) => [
      queries.run(sql`
        insert into site_days (site_id, at, ${COLUMN_NAMES}, ${sql.raw(SIZES.join(', '))}, refused)
        select sites.id, row.value ->> 1, ${COLUMN_VALUES}, ${SIZE_VALUES}, ${REFUSED} ${from(rows)}
        on conflict (site_id, at) do update set ${KEEP_HIGHEST}, ${KEEP_NEWEST}, ${KEEP_REFUSED}`),
    ])
  const at = Math.max(0, ...found.map((site) => site.at))
  if (at === 0) return
  await writeAll(db, (queries) => [
    queries.run(sql`
      insert into server_numbers (server_id, at)
      select id, ${at} from servers where id = ${server_id}
      on conflict (server_id) do update set at = excluded.at`),
  ])
}

export type NumbersRow = Numbers & { at: number }
export type DayNumbers = NumbersRow & Sizes

interface NumbersRange {
  site_id: number
  /** The range in seconds since 1970, from the first up to before the last. */
  from: number
  to: number
}

export const readMinutes = (db: Database, { site_id, from, to }: NumbersRange) =>
  db.read.all<NumbersRow>(sql`
    select at, ${COLUMN_NAMES} from ${site_minutes}
    where site_id = ${site_id} and at >= ${inlineInteger(from)} and at < ${inlineInteger(to)} order by at`)

export const readDays = (db: Database, { site_id, from, to }: NumbersRange) =>
  db.read.all<DayNumbers>(sql`
    select at, ${COLUMN_NAMES}, ${sql.raw(SIZES.join(', '))} from ${site_days}
    where site_id = ${site_id} and at >= ${inlineInteger(from)} and at < ${inlineInteger(to)} order by at`)

/** Returns the end of the last change of the tier, in seconds since 1970; 0 when unknown. */
export async function readTierChange(db: Database, site_id: number): Promise<number> {
  const { type, params, status, finished_at } = operations
  const isUpdate = and(eq(type, 'site.update'), isNotNull(sql`${params} ->> 'tier'`))
  const changes = or(eq(type, 'pool.apply'), isUpdate)
  const [row] = await db.read
    .select({ at: sql<number | null>`unixepoch(max(${finished_at}))` })
    .from(operations)
    .where(and(eq(operations.site_id, site_id), eq(status, 'success'), changes))
  return row?.at ?? 0
}

/** The maximum of rows in one deletion, so that no other write waits for long. */
const MAX_DELETED = 500

/** Deletes what is older than these, in seconds since 1970. */
export async function deleteNumbers(
  db: Database,
  { minutes, days }: { minutes: number; days: number },
): Promise<void> {
  for (const [table, before] of [
    [site_minutes, minutes],
    [site_days, days],
  ] as const)
    for (let deleted = MAX_DELETED; deleted === MAX_DELETED; ) {
      const rows = await db.write((queries) =>
        queries
          .delete(table)
          .where(
            sql`(site_id, at) in (
              select old.site_id, old.at from ${sites} as site
              join ${table} as old on old.site_id = site.id and old.at < ${inlineInteger(before)}
              limit ${inlineInteger(MAX_DELETED)})`,
          )
          .returning({ at: table.at }),
      )
      deleted = rows.length
    }
}
