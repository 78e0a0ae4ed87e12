import { sql } from 'drizzle-orm'
import {
  keyOf,
  MINUTE,
  MINUTES_KEPT,
  QUARTER,
  QUARTERS_KEPT,
} from '#dashboard/features/metrics/key.ts'
import { minutesStatement, type Reading } from '#dashboard/features/metrics/queries.ts'
import { batch, type Database, type Queries, type Statement } from '#dashboard/kernel/db/client.ts'
import type { Fleet, Member } from '#scripts/demo/fleet/fleet.ts'
import { memoryShare } from '#scripts/demo/machine/machine.ts'
import { lastContact } from '#scripts/demo/seed/servers.ts'
import { PROTOCOL } from '#shared/kernel/protocol.ts'

const MB = 2 ** 20
/** A busy server shows a little more than its real CPU share. */
const LOAD = 1.1
/** The ratio of the highest reading of a quarter to the average. */
const PEAK = 1.2

/** Stores the readings of each server: a day by the minute, a month by quarters. */
export async function fillMetrics(db: Database, fleet: Fleet, now: number): Promise<void> {
  for (const [at, member] of fleet.members.entries()) {
    if (member.plan.role === 'pending') continue
    const end = Math.floor(lastContact(member.plan, now) / 1000)
    const minutes = minutesOf(member, at + 1, end)
    const quarters = quartersOf(member, at + 1, end)
    await db.write((queries) =>
      batch(queries, [minutesStatement(queries, minutes), quartersStatement(queries, quarters)]),
    )
  }
}

function minutesOf(member: Member, server_id: number, end: number): Reading[] {
  const to = end - (end % MINUTE) + MINUTE
  return curveOf(member, to - MINUTES_KEPT, to, MINUTE).map((point) => ({
    server_id,
    at: point.at,
    metrics: readingOf(member, point),
  }))
}

function readingOf({ plan }: Member, point: Point): Reading['metrics'] {
  const { memory, disk, debian, version } = plan
  const busy = plan.cores * LOAD
  return {
    cpu: Math.round(point.load * 1000) / 10,
    ram: { used: point.ram, total: memory, unit: 'MB' },
    disk: { used: point.disk, total: Math.round(disk.total / MB), unit: 'MB' },
    load: [point.load * busy, point.load5 * busy, point.load15 * busy],
    uptime: 0,
    os: `Debian ${debian}`,
    version,
    protocol: PROTOCOL,
  }
}

/** A row of metrics_quarters, its columns in their order. */
type QuarterRow = readonly number[]

/** Returns complete quarters only: the dashboard computes the current one. */
function quartersOf(member: Member, server_id: number, end: number): QuarterRow[] {
  const { cores, memory, disk } = member.plan
  const to = end - 2 * MINUTE - ((end - 2 * MINUTE) % QUARTER)
  const total = Math.round(disk.total / MB)
  return curveOf(member, to - QUARTERS_KEPT, to, QUARTER).map((point) => {
    const load = Math.round(point.load * cores * LOAD * 100)
    const peak = Math.min(1, point.load * PEAK)
    return [
      keyOf(server_id, point.at),
      Math.round(point.load * 1000),
      ...[point.ram, memory, point.disk, total],
      ...[load, load, load],
      Math.round(peak * 1000),
    ]
  })
}

/** Returns one statement with a month of a server: row by row it takes ten times as long. */
function quartersStatement(queries: Queries, rows: readonly QuarterRow[]): Statement {
  return queries.run(sql`
    insert into metrics_quarters
      (key, cpu, ram_used, ram_total, disk_used, disk_total, load1, load5, load15, cpu_max)
    select row.value ->> 0, row.value ->> 1, row.value ->> 2, row.value ->> 3, row.value ->> 4,
      row.value ->> 5, row.value ->> 6, row.value ->> 7, row.value ->> 8, row.value ->> 9
    from json_each(${JSON.stringify(rows)}) as row`)
}

/** A point is the state of a server at some moment; `load` from 0 to 1, sizes in MB. */
interface Point {
  /** The seconds since 1970. */
  at: number
  load: number
  load5: number
  load15: number
  ram: number
  disk: number
}

const DAY_S = 86_400
/** The daily growth of used disk space, as a share of it. */
const GROWTH = 0.0011

/**
 * Returns points `step` seconds apart from `from` to before `to`, the loads of 5 and 15 minutes
 * after the first one.
 */
function curveOf({ machine }: Member, from: number, to: number, step: number): Point[] {
  const { time, load, plan } = machine
  const shift = time.loadTime() - time.now()
  const count = Math.max(0, Math.ceil((to - from) / step))
  const values = Array.from({ length: count }, (_, at) =>
    load.at((from + at * step) * 1000 + shift),
  )
  const back = (at: number, seconds: number) => values[Math.max(0, at - Math.round(seconds / step))]
  const { total, free } = plan.disk
  const used = (total - free) / MB
  return values.map((value, place) => {
    const at = from + place * step
    const days = (time.now() / 1000 - at) / DAY_S
    return {
      at,
      load: value,
      load5: back(place, 150) ?? value,
      load15: back(place, 450) ?? value,
      ram: Math.round(memoryShare(smooth(values, place, step)) * plan.memory),
      disk: Math.round(used * (1 - GROWTH * days)),
    }
  })
}

const SMOOTH_S = 1440

/** Returns the average of three quarters of an hour: memory use does not change at once. */
function smooth(values: readonly number[], place: number, step: number): number {
  const reach = Math.max(1, Math.round(SMOOTH_S / step))
  const around = [-reach, -Math.ceil(reach / 2), 0, Math.ceil(reach / 2), reach]
  const found = around.flatMap((away) => values[place + away] ?? [])
  return found.reduce((sum, value) => sum + value, 0) / found.length
}
