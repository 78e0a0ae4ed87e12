import { and, desc, eq, gte, inArray, sql } from 'drizzle-orm'
import {
  people,
  person_keys,
  site_clients,
  site_sessions,
} from '#dashboard/kernel/db/access-schema.ts'
import { type Database, writeAll } from '#dashboard/kernel/db/client.ts'
import { activities, sites } from '#dashboard/kernel/db/schema.ts'
import type { SiteLogin } from '#shared/access/site-access.ts'

const MAX_SHOWN = 20

const keyOf = ({ at, address, fingerprint }: Pick<SiteLogin, 'at' | 'address' | 'fingerprint'>) =>
  `${at} ${address} ${fingerprint}`

/** Records the logins that are not recorded yet, each with an activity, and the ends of the others. */
export async function storeLogins(
  db: Database,
  server_id: number,
  logins: readonly SiteLogin[],
): Promise<void> {
  if (logins.length === 0) return
  const domains = [...new Set(logins.map(({ domain }) => domain))]
  const own = await db.read
    .select({ id: sites.id, domain: sites.domain })
    .from(sites)
    .where(and(eq(sites.server_id, server_id), inArray(sites.domain, domains)))
  const ids = new Map(own.map(({ id, domain }) => [domain, id]))
  const first = logins.map(({ at }) => at).sort()[0] ?? ''
  const known = await db.read
    .select()
    .from(site_sessions)
    .where(and(inArray(site_sessions.site_id, [...ids.values()]), gte(site_sessions.at, first)))
  const seen = new Set(known.map((row) => `${row.site_id} ${keyOf(row)}`))
  const ended = known.flatMap((row) => {
    const same = logins.find(
      (login) => ids.get(login.domain) === row.site_id && keyOf(login) === keyOf(row),
    )
    return row.ended_at === null && same?.ended_at ? [{ row, ended_at: same.ended_at }] : []
  })
  const added = logins.flatMap(({ domain, kind, ...login }) => {
    const site_id = ids.get(domain)
    const key = `${site_id} ${keyOf({ ...login })}`
    if (site_id === undefined || seen.has(key)) return []
    seen.add(key)
    const type = login.client === null ? (`site.${kind}_login` as const) : 'site.client_login'
    return [{ domain, type, row: { site_id, ...login } }]
  })
  await writeAll(db, (queries) => [
    ...ended.map(({ row, ended_at }) =>
      queries.update(site_sessions).set({ ended_at }).where(isSession(row)),
    ),
    ...added.flatMap(({ domain, type, row }) => [
      queries.insert(site_sessions).values(row).onConflictDoNothing(),
      queries.insert(activities).values({
        type,
        status: 'success' as const,
        domain,
        server_id,
        via: 'agent' as const,
        created_at: row.at,
      }),
    ]),
  ])
}

const isSession = (row: typeof site_sessions.$inferSelect) =>
  and(
    eq(site_sessions.site_id, row.site_id),
    eq(site_sessions.at, row.at),
    eq(site_sessions.address, row.address),
    eq(site_sessions.fingerprint, row.fingerprint),
  )

export const listLoginsOf = (db: Database, site_id: number) =>
  db.read
    .select({
      at: site_sessions.at,
      ended_at: site_sessions.ended_at,
      address: site_sessions.address,
      fingerprint: site_sessions.fingerprint,
      person: people.name,
      client: sql<string | null>`coalesce(${site_clients.label}, ${site_sessions.client})`,
    })
    .from(site_sessions)
    .leftJoin(person_keys, eq(person_keys.fingerprint, site_sessions.fingerprint))
    .leftJoin(
      site_clients,
      and(
        eq(site_clients.site_id, site_sessions.site_id),
        eq(site_clients.token, site_sessions.client),
      ),
    )
    .leftJoin(people, eq(people.id, person_keys.person_id))
    .where(eq(site_sessions.site_id, site_id))
    .orderBy(desc(site_sessions.at))
    .limit(MAX_SHOWN)
