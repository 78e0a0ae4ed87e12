import { and, eq, getTableColumns, gt, inArray, lt, type SQL, sql } from 'drizzle-orm'
import { type Database, type Queries, writeAll } from '#dashboard/kernel/db/client.ts'
import type { Marks } from '#dashboard/kernel/db/marks.ts'
import { batchedRead, preparedQuery } from '#dashboard/kernel/db/prepared-query.ts'
import type { NewActivity } from '#dashboard/kernel/db/rows.ts'
import { activities, servers } from '#dashboard/kernel/db/schema.ts'
import { enrolments, server_agents, signing_keys } from '#dashboard/kernel/db/trust-schema.ts'
import { notFound } from '#shared/kernel/errors.ts'
import type { ReachCode } from '#shared/servers/api/enrolment.ts'

export type AgentRow = typeof server_agents.$inferSelect
export type EnrolmentRow = typeof enrolments.$inferSelect

const agents = preparedQuery((read) =>
  read
    .select({ ...getTableColumns(server_agents), until: signing_keys.until })
    .from(server_agents)
    .leftJoin(signing_keys, eq(signing_keys.kid, server_agents.kid))
    .where(
      sql`${server_agents.server_id} in (select value from json_each(${sql.placeholder('ids')}))`,
    )
    .prepare(),
)

/** Returns the agent of a server, with the expiry of its known key as `until`. */
export const findAgent = batchedRead(
  (db, ids) => agents(db).all({ ids }),
  ({ server_id }) => server_id,
)

export const listPinned = (db: Database) =>
  db.read
    .select({
      server_id: server_agents.server_id,
      name: servers.name,
      certificate: server_agents.certificate,
    })
    .from(server_agents)
    .innerJoin(servers, eq(servers.id, server_agents.server_id))

/** Lists enrolled servers in random order, those that are online first. */
export const listWitnesses = (db: Database, limit: number) =>
  db.read
    .select({ id: servers.id, hostname: servers.hostname, port: servers.port })
    .from(server_agents)
    .innerJoin(servers, eq(servers.id, server_agents.server_id))
    .orderBy(sql`${servers.status} <> 'online'`, sql`random()`)
    .limit(limit)

/** The number of wrong proofs that invalidates a code. */
export const MAX_FAILURES = 3

const isWaiting = and(eq(activities.type, 'server.enrol'), eq(activities.status, 'running'))

function ended(queries: Queries, server_id: number, status: NewActivity['status'], when?: SQL) {
  const mine = eq(activities.server_id, server_id)
  return queries
    .update(activities)
    .set({ status })
    .where(and(mine, isWaiting, when))
}

/** Ends expired codes of these servers, or of all. */
export async function endLapsed(db: Database, now: string, server_ids?: readonly number[]) {
  const good = sql`exists (select 1 from enrolments where enrolments.server_id = activities.server_id
    and expires_at > ${now} and failures < ${MAX_FAILURES})`
  const those = server_ids && inArray(activities.server_id, [...server_ids])
  await db.write((queries) =>
    queries
      .update(activities)
      .set({ status: 'failed' })
      .where(and(those, isWaiting, sql`not ${good}`)),
  )
}

export async function putEnrolment(
  db: Database,
  values: Omit<EnrolmentRow, 'failures' | 'last_error' | 'last_code'>,
  entry: NewActivity,
): Promise<void> {
  const { code_key_sealed, expires_at, kid } = values
  await writeAll(db, (queries) => [
    queries
      .insert(enrolments)
      .values(values)
      .onConflictDoUpdate({
        target: enrolments.server_id,
        set: { code_key_sealed, expires_at, kid, failures: 0, last_error: '', last_code: null },
      }),
    ended(queries, values.server_id, 'cancelled'),
    queries.insert(activities).values(entry),
  ])
}

export function listOpenEnrolments(db: Database, now: string) {
  return db.read
    .select({
      server_id: enrolments.server_id,
      code_key_sealed: enrolments.code_key_sealed,
      kid: enrolments.kid,
      last_error: enrolments.last_error,
      hostname: servers.hostname,
      port: servers.port,
    })
    .from(enrolments)
    .innerJoin(servers, eq(servers.id, enrolments.server_id))
    .where(and(gt(enrolments.expires_at, now), lt(enrolments.failures, MAX_FAILURES)))
}

/** Counts a wrong proof, and records it in the activity log. */
export async function countFailure(
  db: Database,
  server_id: number,
  last_error: string,
  entry: NewActivity,
) {
  await writeAll(db, (queries) => [
    queries
      .update(enrolments)
      .set({ failures: sql`failures + 1`, last_error, last_code: null })
      .where(eq(enrolments.server_id, server_id)),
    queries.insert(activities).values(entry),
    ended(
      queries,
      server_id,
      'failed',
      sql`(select failures from enrolments where server_id = ${server_id}) >= ${MAX_FAILURES}`,
    ),
  ])
}

/** Notes why the code could not be used yet. */
export async function noteReason(
  db: Database,
  server_id: number,
  { reason: last_error, code }: { reason: string; code?: ReachCode | undefined },
) {
  const same = eq(enrolments.server_id, server_id)
  await db.write((queries) =>
    queries
      .update(enrolments)
      .set({ last_error, last_code: code ?? null })
      .where(same),
  )
}

/** Returns since when the agent of a server is trusted, and its last unused code. */
export async function getTrust(db: Database, server_id: number) {
  const { expires_at, failures, last_error, last_code } = enrolments
  const row = await db.read
    .select({
      enrolled_at: server_agents.enrolled_at,
      expires_at,
      failures,
      last_error,
      last_code,
    })
    .from(servers)
    .leftJoin(server_agents, eq(server_agents.server_id, servers.id))
    .leftJoin(enrolments, eq(enrolments.server_id, servers.id))
    .where(eq(servers.id, server_id))
    .get()
  if (!row) throw notFound('Server')
  return row
}

/** Uses the code and stores the agent. The activity of the code records it, or else a new one. */
export async function pinAgent(
  { db, marks }: { db: Database; marks: Marks },
  pinned: Omit<AgentRow, 'mark'>,
  entry: NewActivity,
): Promise<void> {
  const agent = { ...pinned, mark: marks.of('server_agents', pinned) }
  const { server_id, ...known } = agent
  await writeAll(db, (queries) => [
    queries
      .insert(server_agents)
      .values(agent)
      .onConflictDoUpdate({ target: server_agents.server_id, set: known }),
    queries.delete(enrolments).where(eq(enrolments.server_id, server_id)),
    queries.run(sql`
        insert into activities (type, domain, status, server_id, user_id, via, token, address, created_at)
        select ${entry.type}, ${entry.domain}, ${entry.status}, ${server_id}, ${entry.user_id ?? null},
          ${entry.via ?? 'system'}, ${entry.token ?? null}, ${entry.address ?? null}, ${entry.created_at}
        where not exists (select 1 from activities where server_id = ${server_id} and ${isWaiting})`),
    ended(queries, server_id, 'success'),
  ])
}

export async function unpinAgent(db: Database, server_id: number, entry: NewActivity) {
  await writeAll(db, (queries) => [
    queries.delete(server_agents).where(eq(server_agents.server_id, server_id)),
    queries.insert(activities).values(entry),
  ])
}
