import { and, asc, count, eq, gt, gte, lt, lte, max, min, ne, sql } from 'drizzle-orm'
import { batch, type Database } from '#dashboard/kernel/db/client.ts'
import { activity_heads, activity_links } from '#dashboard/kernel/db/record-schema.ts'
import type { ActivityRow } from '#dashboard/kernel/db/rows.ts'
import { activities } from '#dashboard/kernel/db/schema.ts'
import { violatesNotNull, violatesUnique } from '#dashboard/kernel/db/violations.ts'

type Reads = Pick<Database, 'read'>
export type LinkRow = typeof activity_links.$inferSelect

/** The newest head; generation 0 without one. `links` says whether there are links. */
export interface HeadRow {
  generation: number
  note: string | undefined
  has_links: boolean
}

const { seq, activity_id } = activity_links

export async function findHead({ read }: Reads): Promise<HeadRow> {
  const [[head], [first]] = await read.batch([
    read.select().from(activity_heads).orderBy(sql`generation desc`).limit(1),
    read.select({ seq }).from(activity_links).limit(1),
  ])
  return { generation: head?.generation ?? 0, note: head?.note, has_links: first !== undefined }
}

export async function findHash({ read }: Reads, place: number): Promise<string | undefined> {
  const found = read.select({ hash: activity_links.hash }).from(activity_links)
  return (await found.where(eq(seq, place)).get())?.hash
}

/** Returns ends that have no link, and activities after the last one that has, oldest first. */
export async function listUnsealed({ read }: Reads, last: number, limit: number) {
  const ended = and(sql`${activity_links.open} = 1`, ne(activities.status, 'running'))
  const [ends, rows] = await read.batch([
    read
      .select({ id: activities.id, status: activities.status })
      .from(activity_links)
      .innerJoin(activities, eq(activities.id, activity_id))
      .where(ended)
      .orderBy(asc(activity_id))
      .limit(limit),
    read
      .select()
      .from(activities)
      .where(gt(activities.id, last))
      .orderBy(asc(activities.id))
      .limit(limit),
  ])
  return { ends, rows }
}

/** A change of the chain, with the generation of the head that it continues. */
interface HeadChange {
  generation: number
  note: string
}

/**
 * Appends links and their head, in one transaction; false when another writer was faster. The first
 * statement takes the write lock and fails then, so that nothing else is written.
 */
export async function appendLinks(
  db: Database,
  links: readonly LinkRow[],
  head: HeadChange,
): Promise<boolean> {
  const values = JSON.stringify(
    links.map((link) => [link.seq, link.activity_id, link.status, link.hash, Number(link.open)]),
  )
  const ended = JSON.stringify(links.filter(({ open }) => !open).map((link) => link.activity_id))
  const changes = [
    sql`update activity_links set open = 0
      where open = 1 and activity_id in (select value from json_each(${ended}))`,
    sql`insert into activity_links (seq, activity_id, status, hash, open)
      select json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'),
        json_extract(value, '$[3]'), json_extract(value, '$[4]') from json_each(${values})`,
  ]
  // No cached answer has links.
  return changeHead(db, head, changes, { only_readings: true })
}

/** Deletes the activities up to `id`, and the links up to `seq`. Returns false when another dashboard was faster. */
export function deleteFirst(
  db: Database,
  start: { seq: number; id: number },
  head: HeadChange,
): Promise<boolean> {
  return changeHead(db, head, [
    sql`delete from activities where id <= ${start.id}`,
    sql`delete from activity_links where seq <= ${start.seq}`,
  ])
}

async function changeHead(
  db: Database,
  { generation, note }: HeadChange,
  changes: readonly ReturnType<typeof sql>[],
  how: { only_readings?: true } = {},
): Promise<boolean> {
  const isNewest = sql`(select coalesce(max(generation), 0) from activity_heads) = ${generation}`
  const statements = [
    sql`insert into activity_heads (generation, note)
      select ${generation + 1}, case when ${isNewest} then ${note} end`,
    ...changes,
    sql`delete from activity_heads where generation <= ${generation}`,
  ]
  try {
    await db.write(
      (queries) =>
        batch(
          queries,
          statements.map((statement) => queries.run(statement)),
        ),
      how,
    )
    return true
  } catch (error) {
    const isTaken =
      violatesNotNull(error, 'activity_heads.note') ||
      violatesUnique(error, 'activity_heads.generation') ||
      violatesUnique(error, 'activity_links.seq')
    if (isTaken) return false
    throw error
  }
}

/** Lists some links after a place, up to another. */
export const listLinks = ({ read }: Reads, after: number, until: number, limit: number) =>
  read
    .select()
    .from(activity_links)
    .where(and(gt(seq, after), lte(seq, until)))
    .orderBy(asc(seq))
    .limit(limit)

/** Lists activities after an id, up to another. */
export const listRows = (
  { read }: Reads,
  after: number,
  until: number,
  limit: number,
): Promise<ActivityRow[]> =>
  read
    .select()
    .from(activities)
    .where(and(gt(activities.id, after), lte(activities.id, until)))
    .orderBy(asc(activities.id))
    .limit(limit)

/** Returns what does not belong to the chain between these places, and what follows it. */
export async function findOutside(
  { read }: Reads,
  { start, end }: { start: { id: number; seq: number }; end: { id: number; seq: number } },
) {
  const [[before], [links], [after]] = await read.batch([
    read
      .select({ id: min(activities.id) })
      .from(activities)
      .where(lte(activities.id, start.id)),
    read.select({ last: max(seq), first: min(seq) }).from(activity_links),
    read.select({ rows: count() }).from(activities).where(gt(activities.id, end.id)),
  ])
  return {
    before: before?.id ?? undefined,
    hasOtherLinks: (links?.last ?? 0) > end.seq || (links?.first ?? end.seq + 1) <= start.seq,
    unsealed: after?.rows ?? 0,
  }
}

/**
 * Returns the last of at most `limit` activities that expire: everything that was written before an
 * activity that is older than `before`, but nothing that follows one of the time since then. Wrong
 * clocks have written times of the future and of the past.
 */
export async function findExpired(
  { read }: Reads,
  { after, until, before, now }: { after: number; until: number; before: string; now: string },
  limit: number,
): Promise<number | undefined> {
  const { id, created_at } = activities
  const ids = read.select({ id }).from(activities)
  const kept = await read
    .select({ id })
    .from(activities)
    .where(and(gte(created_at, before), lte(created_at, now)))
    .orderBy(asc(id))
    .limit(1)
    .get()
  const first = and(gt(id, after), lte(id, until), kept && lt(id, kept.id))
  const last = await read
    .select({ id: max(id) })
    .from(activities)
    .where(and(first, lt(created_at, before)))
    .get()
  if (!last?.id) return undefined
  const some = await ids
    .where(and(first, lte(id, last.id)))
    .orderBy(asc(id))
    .limit(limit)
  return some.at(-1)?.id
}

/** Returns the place before the first link of an activity after `id`; undefined without one. */
export async function findPlaceBefore({ read }: Reads, id: number): Promise<number | undefined> {
  const first = read.select({ seq }).from(activity_links).where(gt(activity_id, id))
  const found = await first.orderBy(asc(seq)).limit(1).get()
  return found && found.seq - 1
}
