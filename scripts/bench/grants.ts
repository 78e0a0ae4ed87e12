import { openDatabase } from '#dashboard/kernel/db/client.ts'
import { ADMIN, dashboardFolder, startDashboard, sweep } from '#tests/support/processes.ts'
import { benchmark, report } from './lib/benchmark.ts'
import { alternating, median, timed } from './lib/measure.ts'
import { fillFleet, SERVERS } from './lib/records.ts'

const TRIES = Number(process.env.TRIES ?? 25)
const EMAIL = 'colleague@control.example'
const PASSWORD = 'a long password of a colleague'

/** Twenty grants: a tag, which two of three servers have, single servers, and single sites. */
const PARTS = [
  { gives: 'viewer', tag: 'production' },
  ...Array.from({ length: 9 }, (_, at) => ({ gives: 'operator', server_id: 3 + at * 3 })),
  ...Array.from({ length: 10 }, (_, at) => ({ gives: 'viewer', site_id: 1 + at * 999 })),
]

const LISTS = [
  '/api/fleet/sites?per_page=100',
  '/api/fleet/sites?per_page=100&php=8.3&sort=updates',
  '/api/fleet/sites?per_page=100&q=99',
  '/api/fleet/sites/ids',
  '/api/fleet/backups?per_page=100',
  '/api/fleet',
  '/api/servers',
]

/**
 * Times the lists of 10,000 sites on 100 servers for somebody with twenty grants on parts of the
 * fleet, beside those of an owner. Before each request a server is renamed, so that no answer is a
 * cached one. Fails if a list has a site that the grants do not allow.
 */
async function main(): Promise<void> {
  const folder = await dashboardFolder()
  const db = await openDatabase(`file:${folder}/dashboard.db`)
  await fillFleet(db)
  db.close()
  const dashboard = await startDashboard(folder)
  const base = dashboard.url
  const owner = await signIn(base, ADMIN)
  const colleague = await invited(base, owner)
  await check(base, owner, colleague)
  for (const path of LISTS) {
    const times = await alternating(TRIES, median, {
      ours: () => timeOf(base, { owner, cookie: colleague }, path),
      against: () => timeOf(base, { owner, cookie: owner }, path),
    })
    report(`${path} with 20 grants`, times.ours, 'ms', { against: times.against, at_most: 1.5 })
  }
  await dashboard.kill()
}

interface Call {
  method?: string
  /** The cookie of a session. */
  cookie?: string
  body?: object
}

/** Makes a call, and returns its answer. */
async function call(url: string, { method = 'GET', cookie = '', body }: Call) {
  const response = await fetch(url, {
    method,
    headers: { cookie, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  if (!response.ok) throw new Error(`${url} answers ${response.status}: ${await response.text()}`)
  const [line = ''] = response.headers.getSetCookie()
  return { body: Object(await response.json()), cookie: line.split(';')[0] ?? '' }
}

const signIn = async (base: string, body: object): Promise<string> =>
  (await call(`${base}/api/auth/login`, { method: 'POST', body })).cookie

/** Makes an account with the grants, and returns the cookie of a session of it. */
async function invited(base: string, owner: string): Promise<string> {
  const post = async (path: string, body: object, cookie = '') =>
    (await call(base + path, { method: 'POST', cookie, body })).body
  const { person } = await post('/api/people', { name: 'Colleague' }, owner)
  const invited = { email: EMAIL, role: null, parts: PARTS }
  const { invitation } = await post(`/api/people/${person.id}/invitation`, invited, owner)
  const [, token] = invitation.link.split('#')
  await post('/api/invitations/accept', { token, name: 'Colleague', password: PASSWORD })
  return signIn(base, { email: EMAIL, password: PASSWORD })
}

let renamed = 0

/** Returns the milliseconds of a request after a change of the records. */
async function timeOf(
  base: string,
  { owner, cookie }: { owner: string; cookie: string },
  path: string,
) {
  renamed += 1
  const body = { name: `name-${renamed}` }
  await call(`${base}/api/servers/1`, { method: 'PATCH', cookie: owner, body })
  return timed(() => call(base + path, { cookie }))
}

/** Throws unless the colleague sees the sites of the grants, and no others. */
async function check(base: string, owner: string, colleague: string): Promise<void> {
  const read = async (cookie: string, path: string) => (await call(base + path, { cookie })).body
  const { servers } = await read(owner, '/api/servers')
  const mine = new Set<number>(
    servers.flatMap(({ id, tags }: { id: number; tags: string[] }) =>
      tags.includes('production') ||
      PARTS.some((part) => 'server_id' in part && part.server_id === id)
        ? [id]
        : [],
    ),
  )
  const { sites: all } = await read(owner, '/api/fleet/sites/ids')
  const isMine = ({ id, server_id }: { id: number; server_id: number }) =>
    mine.has(server_id) || PARTS.some((part) => 'site_id' in part && part.site_id === id)
  const { sites: seen } = await read(colleague, '/api/fleet/sites/ids')
  const expected = all.filter(isMine)
  if (mine.size === 0 || mine.size === SERVERS || JSON.stringify(seen) !== JSON.stringify(expected))
    throw new Error(`the colleague sees ${seen.length} sites of ${expected.length}`)
}

await benchmark(main, sweep)
