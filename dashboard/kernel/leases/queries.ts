import { type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import { batch, type Database } from '#dashboard/kernel/db/client.ts'
import type { LeaseRound } from './held-leases.ts'
import { type LeaseRow, memberOf } from './shares.ts'

/** The time by the clock of the database: those of the dashboards may differ. */
const NOW = sql`cast(unixepoch('subsec') * 1000 as integer)`
/** The time after which rows of dashboards that have ended are deleted. */
const FORGET_MS = 60_000

const RoundRows = z.array(
  z.object({ name: z.string(), holder: z.string(), token: z.number(), left_ms: z.number() }),
)

/**
 * Returns the changes of one round, in order, in one transaction. A round that arrives after a
 * later one of its dashboard changes nothing: the row of the dashboard has the number of the last
 * one.
 */
export function roundChanges(
  { holder, number, acquire, release }: Omit<LeaseRound, 'sent'>,
  ttl_ms: number,
  now: SQL = NOW,
): SQL[] {
  const expires = sql`${now} + ${ttl_ms}`
  const member = memberOf(holder)
  const isLast = sql`exists (select 1 from leases as own where own.name = ${member} and own.token = ${number})`
  return [
    sql`insert into leases (name, holder, token, expires)
      values (${member}, ${holder}, ${number}, ${expires})
      on conflict (name) do update set token = excluded.token where excluded.token > leases.token`,
    sql`update leases set expires = ${expires}
      where holder = ${holder} and expires > 0 and ${isLast}`,
    // A lease that ends later than any can was written before the clock was set back.
    sql`update leases set expires = 0 where expires > ${expires}`,
    sql`update leases set expires = 0 where holder = ${holder} and ${isLast}
      and name in (select value from json_each(${JSON.stringify(release)}))`,
    sql`insert into leases (name, holder, token, expires)
      select value, ${holder}, 1, ${expires} from json_each(${JSON.stringify(acquire)})
      where ${isLast}
      on conflict (name) do update set
        token = leases.token + 1, holder = excluded.holder, expires = excluded.expires
      where leases.expires <= ${now}`,
    sql`delete from leases where name like 'dashboard %' and expires <= ${now} - ${FORGET_MS}`,
  ]
}

export function roundRows(now: SQL = NOW): SQL {
  return sql`select name, holder, token, max(0, expires - ${now}) as left_ms from leases`
}

/** Runs a round, and not behind the writes that wait: a lease must be renewed in time. */
export async function takeRound(
  db: Database,
  round: LeaseRound,
  ttl_ms: number,
): Promise<LeaseRow[]> {
  const queries = db.read
  const changes = roundChanges(round, ttl_ms).map((change) => queries.run(change))
  const answers = await batch(queries, [...changes, queries.all(roundRows())])
  return RoundRows.parse(answers.at(-1))
}

/** Releases all leases, which others can take over at once. */
export async function releaseAll(db: Database, holder: string): Promise<void> {
  const queries = db.read
  await batch(queries, [
    queries.run(sql`delete from leases where name = ${memberOf(holder)}`),
    queries.run(sql`update leases set expires = 0 where holder = ${holder}`),
  ])
}
