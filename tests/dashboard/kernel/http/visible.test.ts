// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { SESSIONS_NEWS } from '#dashboard/kernel/auth/session-revocation.ts'
import { part_grants } from '#dashboard/kernel/db/auth-schema.ts'
import { site_copies } from '#dashboard/kernel/db/copies-schema.ts'
import {
  activities,
  bulk_items,
  bulk_operations,
  operations,
  servers,
  sites,
} from '#dashboard/kernel/db/schema.ts'
import type { AnyRoute } from '#dashboard/kernel/http/route.ts'
import { visibleTo } from '#dashboard/kernel/http/visible.queries.ts'
import { newsFor } from '#dashboard/kernel/live/visible-news.ts'
import { ROUTES } from '#dashboard/routes.ts'
import type { Grant, Part, PartGrant, Right } from '#shared/kernel/rights.ts'
import { PING } from '#shared/kernel/sse.ts'
import type { FleetNews } from '#shared/operations/api/live.ts'
import { addBackup, setUp } from '#tests/support/dashboard/backup-attention.ts'
import { type Dashboard, makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { addGroup } from '#tests/support/dashboard/groups.ts'

const AT = '2026-11-20T14:05:02.000Z'
const onSite = (site_id: number, gives: PartGrant['gives']): PartGrant => ({
  gives,
  tag: null,
  server_id: null,
  site_id,
})
const onServer = (server_id: number, gives: PartGrant['gives']): PartGrant => ({
  gives,
  tag: null,
  server_id,
  site_id: null,
})
const onTag = (tag: string, gives: PartGrant['gives']): PartGrant => ({
  gives,
  tag,
  server_id: null,
  site_id: null,
})

/** The fleet: two sites on each of three servers, of which the second and third have a tag. */
const SITES = [
  [1, 1],
  [2, 1],
  [3, 2],
  [4, 2],
  [5, 3],
  [6, 3],
] as const
const TAGS: Record<number, string[]> = { 1: [], 2: ['shop'], 3: ['blog', 'x'] }

const OPERATES: Right[] = ['client', 'read', 'restore', 'operate']
const ADMINISTERS: Right[] = [...OPERATES, 'login', 'secrets', 'admin']
const RIGHTS_OF: Record<string, Right[]> = {
  client: ['client'],
  restore: ['client', 'restore'],
  login: ['client', 'login'],
  viewer: ['client', 'read'],
  operator: OPERATES,
  admin: ADMINISTERS,
  secrets: ['login', 'secrets'],
}

const part = (one: Partial<Part>): Part => ({ tag: null, server_id: null, site_id: null, ...one })

/** The people of the walk, and where each of them has which rights, written by hand. */
const PEOPLE: Record<
  string,
  {
    grants?: Grant[]
    parts: PartGrant[]
    /** The grants of each of its groups. */
    groups?: PartGrant[][]
    /** What an API token is limited to, which makes the calls. */
    only_for?: Part[]
    sites: Record<number, Right[]>
    servers: Record<number, Right[]>
  }
> = {
  'an operator of a site': {
    parts: [onSite(1, 'operator')],
    sites: { 1: OPERATES },
    servers: {},
  },
  'an admin of a server': {
    parts: [onServer(2, 'admin')],
    sites: { 3: ADMINISTERS, 4: ADMINISTERS },
    servers: { 2: ADMINISTERS },
  },
  'a viewer of a tag, who sees the secrets of a site': {
    parts: [onTag('shop', 'viewer'), onSite(4, 'secrets'), onSite(5, 'viewer')],
    sites: {
      3: ['client', 'read'],
      4: ['client', 'read', 'login', 'secrets'],
      5: ['client', 'read'],
    },
    servers: { 2: ['client', 'read'] },
  },
  'a client of two sites, who restores one and logs in to the other': {
    parts: [onSite(1, 'restore'), onSite(3, 'login'), onSite(5, 'client')],
    sites: { 1: ['client', 'restore'], 3: ['client', 'login'], 5: ['client'] },
    servers: {},
  },
  'a member of two groups, with an own grant on a site': {
    parts: [onSite(1, 'operator')],
    groups: [[onSite(4, 'viewer'), onSite(4, 'secrets')], [onTag('blog', 'admin')]],
    sites: {
      1: OPERATES,
      4: ['client', 'read', 'login', 'secrets'],
      5: ADMINISTERS,
      6: ADMINISTERS,
    },
    servers: { 3: ADMINISTERS },
  },
  'somebody with a tag that no server has': {
    parts: [onTag('sho', 'admin')],
    sites: {},
    servers: {},
  },
  'a token of a viewer with grants on parts, which is limited to others of them': {
    grants: ['viewer'],
    parts: [onServer(2, 'admin'), onTag('blog', 'operator'), onSite(1, 'operator')],
    only_for: [part({ site_id: 4 }), part({ tag: 'x' }), part({ server_id: 1 })],
    sites: {
      1: OPERATES,
      2: ['client', 'read'],
      4: ADMINISTERS,
      5: OPERATES,
      6: OPERATES,
    },
    servers: { 1: ['client', 'read'], 3: OPERATES },
  },
}

let dashboard: Dashboard

beforeAll(async () => {
  dashboard = await makeDashboard()
  await fill(dashboard)
})
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]()
})

/** Fills the records with an operation, an entry of the activity and a backup for each site. */
async function fill(dashboard: Dashboard): Promise<void> {
  const { db } = dashboard
  for (const id of [1, 2, 3])
    await db.write((queries) =>
      queries.insert(servers).values({
        name: `server-${id}`,
        hostname: `server-${id}.example`,
        port: 1,
        user: 'root',
        tags: TAGS[id] ?? [],
        created_at: AT,
      }),
    )
  for (const [id, server_id] of SITES) {
    const domain = `site-${id}.example`
    await db.write((queries) =>
      queries.insert(sites).values({
        server_id,
        domain,
        apex: domain,
        user: `site${id}`,
        php: '8.4',
        tier: 'small',
        tls: 'none',
        managed: true,
        status: id === 6 ? 'failed' : 'active',
        wp_version: `6.${id}`,
        created_at: AT,
      }),
    )
    await addOperation(dashboard, `operation-${id}`, { server_id, site_id: id, domain })
  }
  for (const server_id of [1, 2, 3])
    await addOperation(dashboard, `server-operation-${server_id}`, {
      server_id,
      site_id: null,
      domain: `server-${server_id}.example`,
    })
  await addBulk(dashboard, 'bulk-3', [3])
  await addBulk(dashboard, 'bulk-1-3', [1, 3])
}

async function addOperation(
  dashboard: Dashboard,
  id: string,
  where: { server_id: number; site_id: number | null; domain: string },
): Promise<void> {
  await dashboard.db.write((queries) =>
    queries.insert(operations).values({
      ...where,
      id,
      type: where.site_id === null ? 'server.sync' : 'site.scan',
      params: {},
      status: 'failed',
      deadline_at: AT,
      created_at: AT,
      finished_at: AT,
    }),
  )
  await dashboard.db.write((queries) =>
    queries.insert(activities).values({
      type: `of ${id}`,
      domain: where.domain,
      status: 'failed',
      server_id: where.server_id,
      operation_id: id,
      created_at: AT,
    }),
  )
}

async function addBulk(
  dashboard: Dashboard,
  id: string,
  site_ids: readonly number[],
): Promise<void> {
  await dashboard.db.write((queries) =>
    queries.insert(bulk_operations).values({
      id,
      type: 'site.scan',
      params: {},
      status: 'failed',
      parallel: 1,
      pause_after: 1,
      created_at: AT,
      finished_at: AT,
    } as never),
  )
  for (const [position, site_id] of site_ids.entries())
    await dashboard.db.write((queries) =>
      queries.insert(bulk_items).values({
        bulk_id: id,
        position: position + 1,
        server_id: SITES[site_id - 1]?.[1] ?? 0,
        site_id,
        domain: `site-${site_id}.example`,
        status: 'failed',
      }),
    )
}

const walked: readonly AnyRoute[] = ROUTES.filter(
  ({ right }) => right !== 'open' && !right.startsWith('own'),
)

/** The objects of the walk; 999 does not exist. */
const OBJECTS = [
  { server: 1, site: 1 },
  { server: 1, site: 2 },
  { server: 2, site: 3 },
  { server: 2, site: 4 },
  { server: 3, site: 5 },
  // A site under another server than its own.
  { server: 2, site: 1 },
  { server: 999, site: 999 },
]

type Person = (typeof PEOPLE)[string]
type Objects = (typeof OBJECTS)[number]

/** Returns the rights of a person where a call needs its right, by the names in its path. */
function rightsFor({ at, where }: AnyRoute, { site, server }: Objects, person: Person): Right[] {
  if (where === 'anywhere') return rightsAnywhere(person)
  if (where === 'fleet') return []
  if (/:(site|operation)_id/.test(at)) return person.sites[site] ?? []
  if (at.includes(':server_id')) return person.servers[server] ?? []
  const isOwnBulk = at.includes(':bulk_id') && site === 3
  return isOwnBulk ? (person.sites[3] ?? []) : []
}

const rightsAnywhere = ({ parts, groups = [], only_for, sites, servers }: Person): Right[] =>
  only_for
    ? [sites, servers].flatMap((places) => Object.values(places).flat())
    : [...parts, ...groups.flat()].flatMap(rightsIn)

/** The headers of a session, or of the token. */
async function headersOf({ grants = [], parts, groups = [], only_for }: Person) {
  if (only_for) return dashboard.tokenWith({ grants, parts }, { only_for })
  const headers = await dashboard.signInWith(grants, parts)
  const { user } = (await dashboard.call('GET', '/api/auth/me', undefined, headers)).body
  for (const [at, given] of groups.entries())
    await addGroup(dashboard, { name: `Group ${at}`, parts: given, members: [user.id] })
  return headers
}

/** Returns the objects with which the path of a call differs. */
const objectsFor = ({ at }: AnyRoute): Objects[] => [
  ...new Map(OBJECTS.map((objects) => [pathOf(at, objects), objects])).values(),
]

const pathOf = (path: string, { site, server }: Objects): string =>
  path
    .replace(':server_id', `${server}`)
    .replace(':site_id', `${site}`)
    .replace(':operation_id', `operation-${site}`)
    .replace(':bulk_id', site === 3 ? 'bulk-3' : 'bulk-1-3')
    .replace(/:\w+/g, '999')

test.each(Object.entries(PEOPLE))(
  '%s calls what the grants allow, where they allow it',
  async (_, person) => {
    const headers = await headersOf(person)
    const wrong: unknown[] = []
    const leaked: unknown[] = []
    const call = async (route: AnyRoute, objects: Objects) => {
      const [method = '', path = ''] = route.at.split(' ')
      // A body that is no JSON is refused after the right was checked, and before anything is done.
      const body = method === 'GET' ? undefined : '{'
      const response = await dashboard.send(method, pathOf(path, objects), body, headers)
      const { status } = response
      const foreign = foreignIn(await firstText(response), person)
      if (foreign.length > 0) leaked.push([route.at, objects, foreign])
      const isOpen = !route.needs_session || person.only_for === undefined
      const may = isOpen && rightsFor(route, objects, person).includes(route.right as Right)
      if ((status !== 403) !== may || status === 401) wrong.push([route.at, objects, status, may])
    }
    for (const route of walked) for (const objects of objectsFor(route)) await call(route, objects)

    expect({ wrong, leaked }).toEqual({ wrong: [], leaked: [] })
  },
)

/** Returns the whole text of an answer; of a stream, which may have no end, the first bytes. */
async function firstText(response: Response): Promise<string> {
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text()
  const reader = response.body?.getReader()
  const first = await reader?.read()
  await reader?.cancel()
  return new TextDecoder().decode(first?.value)
}

/** Returns the names of objects in a text that somebody may not see; that of a site's server is seen. */
function foreignIn(text: string, { sites, servers }: Person): string[] {
  const hosts = SITES.flatMap(([id, server]) => (sites[id] ? [server] : []))
  const seen = [
    ...Object.keys(sites).flatMap((id) => [`site-${id}.example`, `operation-${id}`]),
    ...Object.keys(servers).flatMap((id) => [`server-${id}.example`, `server-operation-${id}`]),
    ...[...hosts, ...Object.keys(servers)].map((id) => `server-${id}`),
  ]
  const named = text.match(/(site|server)-\d\.example|(server-)?operation-\d|server-\d/g) ?? []
  return [...new Set(named)].filter((name) => !seen.includes(name))
}

const rightsIn = ({ gives }: PartGrant): Right[] => RIGHTS_OF[gives] ?? []

/** Returns what each list of the fleet shows to somebody. */
async function listsOf(
  dashboard: Dashboard,
  parts: readonly PartGrant[],
  given?: Record<string, string>,
): Promise<Record<string, unknown>> {
  const headers = given ?? (await dashboard.signInWith([], parts))
  const get = async (path: string) => (await dashboard.call('GET', path, undefined, headers)).body
  const named = (rows: { name?: string; domain?: string; id?: unknown }[]) =>
    rows.map(({ name, domain, id }) => name ?? domain ?? id).toSorted()
  const fleet = await get('/api/fleet')
  const page = await get('/api/fleet/sites?per_page=50')
  const ids = await get('/api/fleet/sites/ids')
  const coverage = await get('/api/fleet/backups')
  const activity = await get('/api/activity')
  return {
    servers: named((await get('/api/servers')).servers),
    overview: named(fleet.servers),
    counts: fleet.counts.sites,
    attention: fleet.attention
      .flatMap(({ items }: { items: { name: string }[] }) => items.map(({ name }) => name))
      .toSorted(),
    sites: named(page.sites),
    total: page.total,
    ids: named(ids.sites),
    found: named((await get('/api/fleet/sites?q=example')).sites),
    of_server: (await get('/api/fleet/sites?server_id=2')).total,
    versions: (await get('/api/fleet/wordpress-versions')).versions.map(
      ({ version }: { version: string }) => version,
    ),
    php: named((await get('/api/fleet/php-versions')).servers),
    operations: named(
      (await get('/api/operations')).operations.map(({ id }: { id: string }) => ({ id })),
    ),
    bulks: named(
      (await get('/api/bulk-operations')).bulk_operations.map(({ id }: { id: string }) => ({ id })),
    ),
    activity: activity.activities.map(({ type }: { type: string }) => type).toSorted(),
    activities: activity.total,
    fleet_activity: (await get('/api/fleet/activity')).total,
    backups: named(coverage.sites),
    trash: named((await get('/api/trash')).trash),
  }
}

test('lists, totals, counts and search results have only what somebody may see', async () => {
  await using own = await makeDashboard()
  await fill(own)
  const nothing = {
    servers: [],
    overview: [],
    counts: {},
    attention: [],
    sites: [],
    total: 0,
    ids: [],
    found: [],
    of_server: 0,
    versions: [],
    php: [],
    operations: [],
    bulks: [],
    activity: [],
    activities: 0,
    fleet_activity: 0,
    backups: [],
    trash: [],
  }
  expect(await listsOf(own, [onTag('sho', 'viewer')])).toEqual(nothing)
  expect(await listsOf(own, [onSite(1, 'viewer')])).toEqual({
    ...nothing,
    counts: { active: 1 },
    sites: ['site-1.example'],
    total: 1,
    ids: ['site-1.example'],
    found: ['site-1.example'],
    versions: ['6.1'],
    operations: ['operation-1'],
    activity: ['of operation-1'],
    activities: 1,
    fleet_activity: 1,
    backups: ['site-1.example'],
  })
  const ofTagAndSite = {
    ...nothing,
    servers: ['server-2'],
    overview: ['server-2'],
    counts: { active: 2, failed: 1 },
    attention: ['site-6.example'],
    sites: ['site-3.example', 'site-4.example', 'site-6.example'],
    total: 3,
    ids: ['site-3.example', 'site-4.example', 'site-6.example'],
    found: ['site-3.example', 'site-4.example', 'site-6.example'],
    of_server: 2,
    versions: ['6.6', '6.4', '6.3'],
    php: ['server-2'],
    operations: ['operation-3', 'operation-4', 'operation-6', 'server-operation-2'],
    bulks: ['bulk-3'],
    activity: ['of operation-3', 'of operation-4', 'of operation-6', 'of server-operation-2'],
    activities: 4,
    fleet_activity: 4,
    backups: ['site-3.example', 'site-4.example'],
  }
  const parts = [onTag('shop', 'viewer'), onSite(6, 'operator')]
  const only_for = [part({ tag: 'shop' }), part({ site_id: 6 })]
  const token = await own.tokenWith(
    { grants: ['owner'], parts: [onSite(1, 'viewer')] },
    { only_for },
  )
  expect(await listsOf(own, parts)).toEqual(ofTagAndSite)
  expect(await listsOf(own, [], token)).toEqual(ofTagAndSite)
})

test('a bulk operation is only for targets where its right is given', async () => {
  const headers = await dashboard.signInWith([], [onServer(2, 'operator'), onSite(5, 'viewer')])
  const start = (targets: object) =>
    dashboard.call(
      'POST',
      '/api/bulk-operations',
      { type: 'wp.cache-flush', targets, dry_run: true },
      headers,
    )

  const own = await start({ site_ids: [3, 4] })
  const foreign = await start({ site_ids: [3, 5] })
  const tagged = await start({ tag: 'blog' })

  expect(own.body.targets.map(({ site_id }: { site_id: number }) => site_id)).toEqual([3, 4])
  expect([foreign.status, foreign.body.fields]).toEqual([422, { targets: ['No such site: 5'] }])
  expect([tagged.status, tagged.body.fields]).toEqual([422, { targets: ['No site is selected'] }])
})

test('an object that a body names needs the right, too', async () => {
  const headers = await dashboard.signInWith([], [onServer(2, 'admin'), onSite(1, 'admin')])
  await setUp(dashboard)
  const backed = { server_id: 3, site_id: 5, domain: 'site-5.example', last: 1 }
  const backup_id = await addBackup(dashboard, backed)
  const status = async (path: string, body: object) =>
    (await dashboard.call('POST', `/api/servers/${path}`, body, headers)).status
  const clone = (from: object) => status('2/sites/clone', { domain: 'copy.example', from })

  expect([
    await clone({ kind: 'site', site_id: 5 }),
    await clone({ kind: 'backup', backup_id }),
    await status('1/sites/1/move', { server_id: 3, dry_run: true }),
    await status('2/sites/3/push', { staging_id: 5, files: true, dry_run: true }),
    await status('2/sites/3/compare', { staging_id: 5 }),
    await status('2/sites/3/refresh', { from: { kind: 'site', site_id: 5 } }),
  ]).toEqual([403, 403, 403, 403, 403, 403])
})

/** The fields of bodies that name a site, a server or a backup, and need no other right. */
const HARMLESS = [
  // Only owners give grants, and those are of the whole fleet.
  'POST /api/people/:person_id/invitation server_id',
  'POST /api/people/:person_id/invitation site_id',
  'PATCH /api/people/:person_id/account server_id',
  'PATCH /api/people/:person_id/account site_id',
  'POST /api/policy/rules server_id',
  'POST /api/policy/rules site_id',
  'POST /api/service-accounts server_id',
  'POST /api/service-accounts site_id',
  'PATCH /api/service-accounts/:account_id server_id',
  'PATCH /api/service-accounts/:account_id site_id',
  'POST /api/service-accounts/:account_id/tokens server_id',
  'POST /api/service-accounts/:account_id/tokens site_id',
  'POST /api/groups server_id',
  'POST /api/groups site_id',
  'PATCH /api/groups/:group_id server_id',
  'PATCH /api/groups/:group_id site_id',
  // The backup of a restore and of a proof must be one of the site.
  'POST /api/servers/:server_id/sites/:site_id/backups/restore backup_id',
  'POST /api/servers/:server_id/sites/:site_id/backups/prove backup_id',
  // The backup must be one of the site.
  'POST /api/client/sites/:site_id/restore-request backup_id',
  'POST /api/client/sites/:site_id/restore backup_id',
  // The scan is of a site of the server.
  'POST /api/servers/:server_id/wp-scan site_id',
]

test('each field of a body that names an object is checked, or known', () => {
  const named = walked.flatMap((route) =>
    fieldsIn(route.body).flatMap((field) =>
      /^(site|server|backup|staging|operation|bulk)_ids?$/.test(field) &&
      !route.also &&
      route.where === undefined
        ? [`${route.at} ${field}`]
        : [],
    ),
  )

  expect(named.filter((name) => !HARMLESS.includes(name))).toEqual([])
})

/** Returns the names of all fields of a schema, also in objects in it. */
function fieldsIn(schema: unknown): string[] {
  const json = JSON.stringify(schema === undefined ? {} : shapeOf(schema))
  return [...json.matchAll(/"(\w+)":/g)].map(([, name = '']) => name)
}

function shapeOf(schema: unknown): unknown {
  const def = Object(Object(schema)._zod).def
  if (def === undefined) return null
  if (def.type === 'object')
    return Object.fromEntries(
      Object.entries(def.shape).map(([name, field]) => [name, shapeOf(field)]),
    )
  return [def.innerType, def.element, def.in, ...(def.options ?? [])]
    .filter((inner) => inner !== undefined)
    .map(shapeOf)
}

test.each(['a grant', 'a token'])(
  'a stream ends when the tag of its server, which %s is on, is taken away',
  async (what) => {
    await using own = await makeDashboard()
    await own.call('POST', '/api/servers', { hostname: 'web.example', tags: ['shop'] })
    await own.db.write((queries) =>
      queries.insert(operations).values({
        id: 'one',
        type: 'server.sync',
        server_id: 1,
        domain: 'web.example',
        params: {},
        status: 'running',
        deadline_at: AT,
        created_at: AT,
      }),
    )
    const only_for = [part({ tag: 'shop' })]
    const viewer =
      what === 'a token'
        ? await own.tokenWith({ grants: ['viewer'], parts: [onServer(1, 'viewer')] }, { only_for })
        : await own.signInWith([], [onTag('shop', 'viewer')])
    const stream = await own.send('GET', '/api/operations/one/events', undefined, viewer)
    const over = stream.text()
    const before = await Promise.race([over, Bun.sleep(100).then(() => 'open')])

    await own.call('PATCH', '/api/servers/1', { tags: [] })

    expect(before).toBe('open')
    expect(await over).toStartWith(PING)
    expect((await own.send('GET', '/api/operations/one', undefined, viewer)).status).toBe(403)
  },
)

test('the feed has only the news of what its listener may see', async () => {
  await using own = await makeDashboard()
  for (const hostname of ['one.example', 'two.example'])
    await own.call('POST', '/api/servers', { hostname, port: 1 })
  const viewer = await own.signInWith([], [onServer(2, 'viewer')])
  const stream = await own.send('GET', '/api/fleet/events', undefined, viewer)
  const over = stream.text()

  for (const id of [1, 2]) await own.call('PATCH', `/api/servers/${id}`, { name: `new-${id}` })
  await Bun.sleep(2_500)
  await own.db.write((queries) => queries.delete(part_grants).where(eq(part_grants.user_id, 2)))
  own.deps.bus.notify(SESSIONS_NEWS)

  const news = (await over).matchAll(/^data: (.*)$/gm)
  const seen = new Set(
    [...news].map(([, data = '']) => JSON.stringify([Object(JSON.parse(data)).id])),
  )
  expect([...seen]).toEqual(['[2]'])
})

test('the news of operations, bulk operations and sites are for those who see all of their targets', async () => {
  const of = async (parts: readonly PartGrant[]) => {
    const caller = { user: { id: 1, email: '', name: '' }, jti: '', grants: [], parts }
    const seen = await newsFor(dashboard.db, NEWS, await visibleTo(dashboard.db, caller))
    return seen.map((news) => {
      if (news.kind === 'operation') return news.operation.id
      return `${news.kind} ${news.id ?? `of server ${Object(news).server_id}`}`
    })
  }

  expect({
    nobody: await of([onTag('sho', 'viewer')]),
    'of a client': await of([onSite(3, 'restore'), onSite(4, 'client')]),
    'of a site': await of([onSite(3, 'viewer')]),
    'of two sites': await of([onSite(1, 'viewer'), onSite(3, 'operator')]),
    'of a server': await of([onServer(2, 'viewer')]),
    'of a tag': await of([onTag('blog', 'admin')]),
  }).toEqual({
    nobody: [],
    'of a client': [],
    'of a site': ['operation-3', 'bulk bulk-3', 'site 3', 'site 3'],
    'of two sites': [
      'operation-1',
      'operation-3',
      'bulk bulk-3',
      'bulk bulk-1-3',
      'site 1',
      'site 3',
      'site 1',
      'site 3',
    ],
    'of a server': [
      'operation-3',
      'server-operation-2',
      'bulk bulk-3',
      'server 2',
      'site 3',
      'site of server 2',
    ],
    'of a tag': ['server 3', 'site of server 3'],
  })
})

const operationNews = (id: string, server_id: number, site_id: number | null): FleetNews =>
  ({ kind: 'operation', message: '', event_id: 0, operation: { id, server_id, site_id } }) as never
const objectNews = (news: object) => ({ message: '', ...news }) as FleetNews

/** One of each kind for several parts of the fleet; the records have the bulk operations. */
const NEWS: readonly FleetNews[] = [
  operationNews('operation-1', 1, 1),
  operationNews('operation-3', 2, 3),
  operationNews('server-operation-2', 2, null),
  objectNews({ kind: 'bulk', id: 'bulk-3' }),
  objectNews({ kind: 'bulk', id: 'bulk-1-3' }),
  objectNews({ kind: 'bulk', id: 'nowhere' }),
  ...[1, 2, 3].map((id) => objectNews({ kind: 'server', id })),
  objectNews({ kind: 'site', id: 1, server_id: 1 }),
  objectNews({ kind: 'site', id: 3, server_id: 2 }),
  ...[1, 2, 3].map((server_id) => objectNews({ kind: 'site', id: null, server_id })),
]

test('a refresh without a source needs the right on the original', async () => {
  await using own = await makeDashboard()
  await fill(own)
  await own.db.write((queries) =>
    queries.insert(site_copies).values({ site_id: 3, original_id: 1 }),
  )
  const status = async (parts: readonly PartGrant[]) => {
    const headers = await own.signInWith([], parts)
    const path = '/api/servers/2/sites/3/refresh'
    return (await own.send('POST', path, { dry_run: true }, headers)).status
  }

  expect(await status([onSite(3, 'operator')])).toBe(403)
  expect(await status([onSite(3, 'operator'), onSite(1, 'viewer')])).toBe(403)
  expect(await status([onSite(3, 'operator'), onSite(1, 'operator')])).not.toBe(403)
})

test('a site does not name its copies and namesakes that somebody may not see', async () => {
  await using own = await makeDashboard()
  await fill(own)
  await own.db.write((queries) =>
    queries.update(sites).set({ apex: 'site-1.example', managed: false }).where(eq(sites.id, 3)),
  )
  for (const [site_id, original_id] of [
    [2, 1],
    [5, 1],
  ] as const)
    await own.db.write((queries) => queries.insert(site_copies).values({ site_id, original_id }))
  const seenBy = async (headers: Record<string, string>) => {
    const { site } = (await own.call('GET', '/api/fleet/sites/1', undefined, headers)).body
    const named = await own.call('GET', '/api/fleet/sites?q=site-1', undefined, headers)
    return [
      site.copies.map(({ id }: { id: number }) => id),
      site.also_on.map(({ site_id }: { site_id: number }) => site_id),
      named.body.sites.flatMap(({ also_on }: { also_on: unknown[] }) => also_on).length,
    ]
  }

  expect(await seenBy(await own.signInWith(['viewer']))).toEqual([[5, 2], [3], 1])
  expect(await seenBy(await own.signInWith([], [onServer(1, 'viewer')]))).toEqual([[2], [], 0])
})

test('a grant that somebody else wrote gives nothing', async () => {
  const headers = await dashboard.signInWith([], [onSite(1, 'viewer')])
  const asked = () => dashboard.send('GET', '/api/fleet/sites/2', undefined, headers)
  await dashboard.db.write((queries) =>
    queries.update(part_grants).set({ site_id: 2 }).where(eq(part_grants.site_id, 1)),
  )

  expect((await asked()).status).toBe(403)
})
