import { and, desc, eq, gte, inArray, isNull, ne, sql } from 'drizzle-orm'
import { writeIf } from '#dashboard/kernel/activity/queries.ts'
import {
  login_lists,
  people,
  person_keys,
  site_clients,
  site_sessions,
} from '#dashboard/kernel/db/access-schema.ts'
import {
  type Database,
  type Queries,
  type Statement,
  writeAll,
} from '#dashboard/kernel/db/client.ts'
import type { NewActivity, ServerRow } from '#dashboard/kernel/db/rows.ts'
import { activities, operations, sites } from '#dashboard/kernel/db/schema.ts'
import type { LoginList, LoginRefusal, SiteLogin } from '#shared/access/site-access.ts'

const MAX_SHOWN = 20
const HOUR_MS = 3_600_000
/** The longest time of a move: an earlier one has ended before the first reported login. */
const MAX_MOVE_MS = 7 * 24 * HOUR_MS
const TURNS = 3
const LOGIN_TYPES = {
  sftp: 'site.sftp_login',
  shell: 'site.shell_login',
  client: 'site.client_login',
} as const

/** What the agent of a server reports of logins. */
export interface ReportedLogins {
  logins: readonly SiteLogin[]
  refusals: readonly LoginRefusal[]
  /** The list that they are from; null from an agent that does not count its entries. */
  list: LoginList | null
}

type ListRow = typeof login_lists.$inferSelect
type SessionRow = typeof site_sessions.$inferSelect

/** A change of the records that follows from a report: an entry of the activity, and its cause. */
interface News {
  at: string
  entry: Pick<NewActivity, 'type' | 'domain'> & Partial<NewActivity>
  statements?: (queries: Queries) => Statement[]
}

/**
 * Records the logins, ends and refused attempts that are not recorded yet, each once with an entry
 * of the activity, also when several dashboards do so. Entries that the agent has lost since are
 * recorded as missing.
 */
export async function storeLogins(
  db: Database,
  server: Pick<ServerRow, 'id' | 'hostname'>,
  reported: ReportedLogins,
  now: string,
): Promise<void> {
  if (reported.logins.length === 0 && !reported.list) return
  for (let turn = 0; turn < TURNS; turn++) if (await storeNews(db, server, reported, now)) return
}

/** Returns false, and stores nothing, if another dashboard has stored something meanwhile. */
async function storeNews(
  db: Database,
  server: Pick<ServerRow, 'id' | 'hostname'>,
  reported: ReportedLogins,
  now: string,
): Promise<boolean> {
  const recorded = await findList(db, server.id)
  const { logins, refusals, list } = reported
  const siteIdOf = await siteIdsOf(db, server.id, [...logins, ...refusals])
  const own = new Set(logins.flatMap(({ domain, at }) => siteIdOf(domain, at) ?? []))
  const whoOf = await listWho(db, [...own], logins)
  const news = [
    ...(await newsOfLogins(db, logins, { siteIdOf, whoOf })),
    ...refusals
      .filter((one) => siteIdOf(one.domain, one.at) && isNewRefusal(one, recorded, list))
      .map(newsOfRefusal),
    ...missingNews(server, recorded, reported, now),
  ].sort((one, other) => Date.parse(one.at) - Date.parse(other.at))
  const next = {
    server_id: server.id,
    list: list?.id ?? recorded?.list ?? '',
    newest: list?.newest ?? recorded?.newest ?? 0,
    refused_until:
      [recorded?.refused_until ?? '', ...refusals.map(({ at }) => at)].sort().at(-1) ?? '',
    revision: (recorded?.revision ?? 0) + 1,
  }
  const isSame = recorded?.list === next.list && recorded.newest === next.newest
  const entries = news.map(({ at, entry }): NewActivity => {
    // The clock of a server may be wrong: the newest time of the records is that of this dashboard.
    const created_at = at < now ? at : now
    return { status: 'success', server_id: server.id, via: 'agent', created_at, ...entry }
  })
  const [first, ...others] = entries
  const statements = (queries: Queries) => [
    ...news.flatMap((one) => one.statements?.(queries) ?? []),
    ...others.map((entry) => queries.insert(activities).values(entry)),
    queries
      .insert(login_lists)
      .values(next)
      .onConflictDoUpdate({
        target: login_lists.server_id,
        set: next,
        setWhere: eq(login_lists.revision, next.revision - 1),
      }),
  ]
  if (!first) {
    if (!isSame) await writeAll(db, statements, { only_readings: true })
    return true
  }
  const condition = sql`coalesce((select revision from login_lists
    where server_id = ${server.id}), 0) = ${recorded?.revision ?? 0}`
  return writeIf(db, condition, first, statements)
}

async function findList(db: Database, server_id: number): Promise<ListRow | undefined> {
  const rows = db.read.select().from(login_lists)
  return (await rows.where(eq(login_lists.server_id, server_id))).at(0)
}

/** Returns the site of a server that had a domain at a time; undefined for a foreign one. */
type SiteIdOf = (domain: string, at: string) => number | undefined

async function siteIdsOf(
  db: Database,
  server_id: number,
  entries: readonly { domain: string; at: string }[],
): Promise<SiteIdOf> {
  const domains = [...new Set(entries.map(({ domain }) => domain))]
  const own = await db.read
    .select({ id: sites.id, domain: sites.domain })
    .from(sites)
    .where(and(eq(sites.server_id, server_id), inArray(sites.domain, domains)))
  const ids = new Map(own.map(({ id, domain }) => [domain, id]))
  const first = entries.map(({ at }) => at).sort()[0]
  const moved = first === undefined ? [] : await listMoved(db, { server_id, domains, first })
  return (domain, at) => {
    const left = moved.find((one) => one.domain === domain && at <= (one.moved_at ?? ''))
    return left?.id ?? ids.get(domain)
  }
}

/** Lists the sites that have left a server: it reports the logins of the last days later. */
const listMoved = (
  db: Database,
  { server_id, domains, first }: { server_id: number; domains: string[]; first: string },
) =>
  db.read
    .select({ id: sites.id, domain: operations.domain, moved_at: operations.finished_at })
    .from(operations)
    .innerJoin(sites, eq(sites.id, operations.site_id))
    .where(
      and(
        eq(operations.server_id, server_id),
        gte(operations.created_at, new Date(Date.parse(first) - MAX_MOVE_MS).toISOString()),
        inArray(operations.type, ['site.move', 'site.move-back']),
        eq(operations.status, 'success'),
        inArray(operations.domain, domains),
        ne(sites.server_id, server_id),
      ),
    )

type WhoOf = (site_id: number, login: Pick<SiteLogin, 'fingerprint' | 'client'>) => Who

/** The words for somebody who has logged in, and the account of that person at this dashboard. */
interface Who {
  name: string
  user_id: number | null
}

/** Finds the people and the client accounts of logins, as they are named now. */
async function listWho(
  db: Database,
  site_ids: readonly number[],
  logins: readonly Pick<SiteLogin, 'fingerprint'>[],
): Promise<WhoOf> {
  const fingerprints = [...new Set(logins.map(({ fingerprint }) => fingerprint))]
  const keys = await db.read
    .select({
      fingerprint: person_keys.fingerprint,
      name: people.name,
      user_id: people.user_id,
    })
    .from(person_keys)
    .innerJoin(people, eq(people.id, person_keys.person_id))
    .where(inArray(person_keys.fingerprint, fingerprints))
  const clients = await db.read
    .select({
      site_id: site_clients.site_id,
      token: site_clients.token,
      label: site_clients.label,
    })
    .from(site_clients)
    .where(inArray(site_clients.site_id, [...site_ids]))
  return (site_id, { fingerprint, client }) => {
    if (client !== null) {
      const found = clients.find((one) => one.site_id === site_id && one.token === client)
      return { name: `client account ${found?.label ?? client}, password`, user_id: null }
    }
    const key = keys.find((one) => one.fingerprint === fingerprint)
    if (!key) return { name: `unknown person, key ${fingerprint}`, user_id: null }
    return { name: `${key.name}, key ${fingerprint}`, user_id: key.user_id }
  }
}

const keyOf = ({ at, address, fingerprint }: Pick<SiteLogin, 'at' | 'address' | 'fingerprint'>) =>
  `${at} ${address} ${fingerprint}`

/** Returns the logins without a record, and the ends that the records do not have. */
async function newsOfLogins(
  db: Database,
  logins: readonly SiteLogin[],
  { siteIdOf, whoOf }: { siteIdOf: SiteIdOf; whoOf: WhoOf },
): Promise<News[]> {
  const first = logins.map(({ at }) => at).sort()[0] ?? ''
  const ids = [...new Set(logins.flatMap(({ domain, at }) => siteIdOf(domain, at) ?? []))]
  const rows = await db.read
    .select()
    .from(site_sessions)
    .where(and(inArray(site_sessions.site_id, ids), gte(site_sessions.at, first)))
  const known = new Map(rows.map((row) => [`${row.site_id} ${keyOf(row)}`, row]))
  return logins.flatMap(({ domain, seq: _, ...login }): News[] => {
    const site_id = siteIdOf(domain, login.at)
    if (site_id === undefined) return []
    const key = `${site_id} ${keyOf(login)}`
    const row = known.get(key)
    const isNew = row === undefined
    const session = { ...login, site_id }
    known.set(key, session)
    const { address, at, ended_at, client, kind } = login
    const { name, user_id } = whoOf(site_id, login)
    const facts = { domain, address, user_id }
    const type = LOGIN_TYPES[client === null ? kind : 'client']
    const started = {
      at,
      entry: { ...facts, type, detail: name },
      statements: (queries: Queries) => [queries.insert(site_sessions).values(session)],
    }
    const ended = ended_at !== null && (isNew || row.ended_at === null)
    return [
      ...(isNew ? [started] : []),
      ...(ended ? [newsOfEnd({ ...session, ended_at }, { ...facts, detail: name }, isNew)] : []),
    ]
  })
}

function newsOfEnd(
  row: SessionRow & { ended_at: string },
  facts: Pick<NewActivity, 'domain' | 'address' | 'user_id' | 'detail'>,
  isNew: boolean,
): News {
  const { at, ended_at } = row
  const detail = `${facts.detail}, since ${at}`
  const set = (queries: Queries) => [
    queries
      .update(site_sessions)
      .set({ ended_at })
      .where(and(isSession(row), isNull(site_sessions.ended_at))),
  ]
  return {
    at: ended_at,
    entry: { ...facts, type: 'site.logout', detail },
    ...(!isNew && { statements: set }),
  }
}

/** Whether the records lack a refusal, also when the agent has begun another list. */
const isNewRefusal = (
  { at, seq }: Pick<LoginRefusal, 'at' | 'seq'>,
  recorded: ListRow | undefined,
  list: LoginList | null,
) =>
  recorded === undefined ||
  at > recorded.refused_until ||
  (recorded.list === list?.id && (seq ?? 0) > recorded.newest)

function newsOfRefusal({ domain, at, address, attempts }: LoginRefusal): News {
  const end = new Date(Date.parse(at) + HOUR_MS).toISOString()
  const times = attempts === 1 ? '1 attempt' : `${attempts} attempts`
  const from = address === null ? ' from other or unknown addresses' : ''
  const detail = `${times}${from} between ${at} and ${end}`
  return {
    at: end,
    entry: { type: 'site.login_refused', status: 'failed', domain, address, detail },
  }
}

/** Returns the entry that says how many logins and refusals were lost before they were reported. */
function missingNews(
  { hostname: domain }: Pick<ServerRow, 'hostname'>,
  recorded: ListRow | undefined,
  { logins, refusals, list }: ReportedLogins,
  now: string,
): News[] {
  if (!list || !recorded || recorded.list === '') return []
  const entryOf = (detail: string): News => ({
    at: now,
    entry: { type: 'server.logins_missing', status: 'failed', domain, detail },
  })
  if (recorded.list !== list.id || list.newest < recorded.newest)
    return [entryOf('the server has lost its list: logins since the last sync may be missing')]
  const reported = new Set(
    [...logins, ...refusals].flatMap(({ seq }) =>
      seq !== null && seq > recorded.newest ? [seq] : [],
    ),
  )
  const lost = list.newest - recorded.newest - reported.size
  if (lost <= 0) return []
  return [entryOf(`${lost} logins or hours with refused attempts at sites of this server`)]
}

const isSession = (row: SessionRow) =>
  and(
    eq(site_sessions.site_id, row.site_id),
    eq(site_sessions.at, row.at),
    eq(site_sessions.address, row.address),
    eq(site_sessions.fingerprint, row.fingerprint),
  )

/** Names the people and client accounts of sessions of a site. */
export const nameSessions = async (
  db: Database,
  site_id: number,
  sessions: readonly Pick<SiteLogin, 'fingerprint' | 'client'>[],
): Promise<string[]> => {
  const whoOf = await listWho(db, [site_id], sessions)
  return sessions.map((session) => whoOf(site_id, session).name)
}

export const listLoginsOf = (db: Database, site_id: number) =>
  db.read
    .select({
      at: site_sessions.at,
      ended_at: site_sessions.ended_at,
      address: site_sessions.address,
      fingerprint: site_sessions.fingerprint,
      kind: site_sessions.kind,
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
