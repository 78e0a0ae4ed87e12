import { type AnyColumn, and, eq, gte, lt, sql } from 'drizzle-orm'
import {
  type Database,
  type Queries,
  type Statement,
  writeAll,
} from '#dashboard/kernel/db/client.ts'
import { metrics_minutes, metrics_quarters, servers } from '#dashboard/kernel/db/schema.ts'
import type { Metrics } from '#shared/servers/agent.ts'
import { keyOf, QUARTER, SPAN } from './key.ts'

/** An inline integer: libSQL binds numbers as floats, which divide differently. */
export const inlineInteger = (value: number) => sql.raw(String(Math.trunc(value)))
const span = inlineInteger(SPAN)
const quarter = inlineInteger(QUARTER)

/** The reading of a server in the minute from `at`, in seconds since 1970. */
export interface Reading {
  server_id: number
  at: number
  metrics: Metrics
  /** Set if everything else is as at the last sync. */
  synced_at?: string | undefined
}

const serverAddress = {
  id: servers.id,
  hostname: servers.hostname,
  port: servers.port,
  metrics: servers.metrics,
}

export function listOnline(db: Database) {
  return db.read.select(serverAddress).from(servers).where(eq(servers.status, 'online'))
}

export function findOnline(db: Database, server_id: number) {
  const isOnline = and(eq(servers.id, server_id), eq(servers.status, 'online'))
  return db.read.select(serverAddress).from(servers).where(isOnline).get()
}

/** Stores the readings of many servers in one write. Deleted servers are skipped. */
export async function storeReadings(db: Database, readings: readonly Reading[]): Promise<void> {
  const metrics = readings.map(({ server_id, at, metrics, synced_at = '' }) => ({
    id: server_id,
    at: new Date(at * 1000).toISOString(),
    metrics,
    synced_at,
  }))
  const only_readings = true
  const statements = (queries: Queries) => [
    minutesStatement(queries, readings),
    queries.run(sql`update servers set metrics = reading.value ->> 'metrics', metrics_at = reading.value ->> 'at',
          last_sync = max(last_sync, reading.value ->> 'synced_at')
        from json_each(${JSON.stringify(metrics)}) as reading
        where servers.id = reading.value ->> 'id'`),
  ]
  await writeAll(db, statements, { only_readings })
}

/** Stores the readings of a minute, of which the last one counts. */
export function minutesStatement(queries: Queries, readings: readonly Reading[]): Statement {
  const rows = readings.map(({ server_id, at, metrics: { cpu, ram, disk, load } }) => [
    keyOf(server_id, at),
    ...[cpu * 10, ram.used, ram.total, disk.used, disk.total].map(Math.round),
    ...load.map((value) => Math.round(value * 100)),
  ])
  return queries.run(sql`insert or replace into metrics_minutes
      (key, cpu, ram_used, ram_total, disk_used, disk_total, load1, load5, load15)
    select row.value ->> 0, row.value ->> 1, row.value ->> 2, row.value ->> 3, row.value ->> 4,
      row.value ->> 5, row.value ->> 6, row.value ->> 7, row.value ->> 8
    from json_each(${JSON.stringify(rows)}) as row
    where exists (select 1 from servers where id = (row.value ->> 0) / ${span})`)
}

/** Deletes the readings of a server that the same batch has deleted before. */
export function forgetStatements(queries: Queries, server_id: number): [Statement, Statement] {
  const gone = sql`not exists (select 1 from servers where id = ${server_id})`
  const mine = ({ key }: { key: AnyColumn }) =>
    and(gte(key, keyOf(server_id, 0)), lt(key, keyOf(server_id + 1, 0)), gone)
  return [
    queries.delete(metrics_minutes).where(mine(metrics_minutes)),
    queries.delete(metrics_quarters).where(mine(metrics_quarters)),
  ]
}

/** Computes the averages of these servers between the last average of each and `until`. */
export async function averageQuarters(
  db: Database,
  server_ids: readonly number[],
  until: number,
): Promise<void> {
  await db.write((queries) =>
    queries.run(sql`
      insert or ignore into metrics_quarters
        (key, cpu, ram_used, ram_total, disk_used, disk_total, load1, load5, load15, cpu_max)
      select key - (key % ${span}) % ${quarter}, round(avg(cpu)), round(avg(ram_used)),
        round(avg(ram_total)), round(avg(disk_used)), round(avg(disk_total)), round(avg(load1)),
        round(avg(load5)), round(avg(load15)), max(cpu)
      from (select id * ${span} as first from servers where id in ${[...server_ids]}) as server
      join metrics_minutes on key < first + ${inlineInteger(until)} and key >= first + coalesce((
        select max(done.key) - first + ${quarter} from metrics_quarters as done
        where done.key >= first and done.key < first + ${span}), 0)
      group by 1`),
  )
}

/** The maximum of rows in one deletion, so that no other write waits for long. */
const MAX_DELETED = 500

/** Deletes readings older than these, in seconds since 1970. */
export async function deleteReadings(
  db: Database,
  { minutes, quarters }: { minutes: number; quarters: number },
): Promise<void> {
  for (const [table, before] of [
    [metrics_minutes, minutes],
    [metrics_quarters, quarters],
  ] as const)
    for (let deleted = MAX_DELETED; deleted === MAX_DELETED; ) {
      const rows = await db.write((queries) =>
        queries
          .delete(table)
          .where(
            sql`${table.key} in (
              select old.key from (select id * ${span} as first from servers) as server
              join ${table} as old on old.key >= first and old.key < first + ${inlineInteger(before)}
              limit ${inlineInteger(MAX_DELETED)})`,
          )
          .returning({ key: table.key }),
      )
      deleted = rows.length
    }
}

export interface ReadingRange {
  server_id: number
  /** The range in seconds since 1970, from the first up to before the last. */
  from: number
  to: number
  step: number
}

/** Returns the averages of each step with readings; with `quarters`, also from stored averages. */
export function readBuckets(
  db: Database,
  { server_id, from, to, step }: ReadingRange,
  quarters: boolean,
) {
  const [first, start, end] = [0, from, to].map((at) => inlineInteger(keyOf(server_id, at)))
  const columns = sql`key, cpu, ram_used, ram_total, disk_used, disk_total, load1, load5, load15`
  const averages = sql`
    select ${columns}, cpu_max from metrics_quarters where key >= ${start} and key < ${end}
    union all`
  const since = sql`coalesce((
    select max(key) + ${quarter} from metrics_quarters where key >= ${first} and key < ${end}), 0)`
  return db.read.all<ReadingBucket>(sql`
    select (key - ${start}) / ${inlineInteger(step)} as place, avg(cpu) / 10.0 as cpu, max(cpu_max) / 10.0 as cpu_max,
      avg(ram_used) as ram_used, max(ram_total) as ram_total, avg(disk_used) as disk_used,
      max(disk_total) as disk_total, avg(load1) / 100.0 as load1, avg(load5) / 100.0 as load5,
      avg(load15) / 100.0 as load15
    from (${quarters ? averages : sql``}
      select ${columns}, cpu as cpu_max from metrics_minutes
      where key >= ${quarters ? sql`max(${start}, ${since})` : start} and key < ${end})
    group by 1`)
}

export interface ReadingBucket {
  place: number
  cpu: number
  cpu_max: number
  ram_used: number
  ram_total: number
  disk_used: number
  disk_total: number
  load1: number
  load5: number
  load15: number
}

/** Returns the time of the first stored reading of a server; null when there is none. */
export async function findFirst(db: Database, server_id: number): Promise<string | null> {
  const [first, end] = [server_id, server_id + 1].map((id) => inlineInteger(keyOf(id, 0)))
  const [row] = await db.read.all<{ key: number | null }>(sql`
    select min(key) as key from (
      select min(key) as key from metrics_minutes where key >= ${first} and key < ${end}
      union all
      select min(key) as key from metrics_quarters where key >= ${first} and key < ${end})`)
  return row?.key ? new Date((row.key - keyOf(server_id, 0)) * 1000).toISOString() : null
}
