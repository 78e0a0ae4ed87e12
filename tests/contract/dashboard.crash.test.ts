// tier: core
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { Client } from '#tests/support/client.ts'
import {
  ADMIN,
  type Running,
  startDashboard,
  sweep,
  temporaryFolder,
} from '#tests/support/processes.ts'
import { copyRecords } from '#tests/support/records.ts'

setDefaultTimeout(120_000)

const ROUNDS = 3

interface Answered {
  servers: Map<number, string>
  sites: Map<number, string>
  names: Map<number, string>
}

/** Everything that was answered with success is kept; the operating system keeps what was written. */
describe('a dashboard that is killed in the middle of its work', () => {
  const answered: Answered = { servers: new Map(), sites: new Map(), names: new Map() }
  let folder = ''
  let file = ''
  let cookie = ''
  const begin = async () => {
    const dashboard = await startDashboard(folder, { DATABASE_URL: `file:${file}` })
    return { dashboard, client: new Client(dashboard.url, cookie) }
  }
  beforeAll(async () => {
    folder = await temporaryFolder('crash')
    file = `${folder}/records.db`
    await copyRecords(file)
    const { dashboard, client } = await begin()
    await client.login(ADMIN)
    cookie = client.cookie ?? ''
    await client.post('/api/servers', { hostname: 'first.example.com' })
    await dashboard.kill()
  }, 30_000)
  afterAll(sweep)

  test.each(Array.from({ length: ROUNDS }, (_, round) => round))(
    'has everything that it answered after kill number %d, and consistent records',
    async (round) => {
      const { dashboard, client } = await begin()
      const before = answered.servers.size
      await workUntilKilled(dashboard, client, round, answered)
      expect(answered.servers.size).toBeGreaterThan(before)

      const again = await begin()

      expect(await recorded(again.client, answered)).toEqual(answered)
      expect(check(file)).toEqual({ integrity: ['ok'], strays: [] })
      await again.dashboard.kill()
    },
    30_000,
  )

  test('still has exactly one operation for each site', async () => {
    const { dashboard, client } = await begin()

    const { body } = await client.get('/api/operations?type=site.create&limit=500')

    const { operations } = body as { operations: { site_id: number; domain: string }[] }
    const sites = operations.map(({ site_id }) => site_id)
    expect(new Set(sites).size).toBe(sites.length)
    expect(sites).toEqual(expect.arrayContaining([...answered.sites.keys()]))
    expect(await dashboard.stop()).toBe(0)
  })

  test('still accepts previous sessions and no forged cookies', async () => {
    const { dashboard, client } = await begin()

    expect((await client.get('/api/auth/me')).status).toBe(200)
    expect(await dashboard.stop()).toBe(0)
  })
})

/**
 * Six clients that create and rename, without a pause, until the dashboard is dead: after one
 * answer at least.
 */
async function workUntilKilled(
  dashboard: Running,
  client: Client,
  round: number,
  answered: Answered,
): Promise<void> {
  let alive = true
  const worker = async (number: number) => {
    for (let turn = 0; alive; turn += 1) {
      const tag = `r${round}w${number}t${turn}`
      await change(client, tag, answered).catch(() => undefined)
    }
  }
  const workers = Array.from({ length: 6 }, (_, number) => worker(number))
  const before = answered.servers.size
  while (answered.servers.size <= before) await Bun.sleep(5)
  await Bun.sleep(150 + 70 * round)
  await dashboard.kill()
  alive = false
  await Promise.all(workers)
}

async function change(client: Client, tag: string, { servers, sites, names }: Answered) {
  const server = await client.post('/api/servers', { hostname: `${tag}.example.com` })
  if (server.status !== 201) return
  const { id } = (server.body as { server: { id: number } }).server
  servers.set(id, `${tag}.example.com`)
  const site = await client.post('/api/servers/1/sites', { domain: `${tag}.example` })
  if (site.status === 201) {
    sites.set((site.body as { site: { id: number } }).site.id, `${tag}.example`)
  }
  const renamed = await client.patch(`/api/servers/${id}`, { name: tag })
  if (renamed.status === 200) names.set(id, tag)
}

/**
 * Returns what the dashboard has recorded of the servers, sites and names that it had answered
 * with.
 */
async function recorded(client: Client, { servers, sites, names }: Answered): Promise<Answered> {
  const list = (await client.get('/api/servers')).body as {
    servers: { id: number; hostname: string; name: string }[]
  }
  const found = (await client.get('/api/servers/1/sites')).body as {
    sites: { id: number; domain: string }[]
  }
  const pairs = <T extends { id: number }>(rows: T[], text: (row: T) => string) =>
    rows.map((row): [number, string] => [row.id, text(row)])
  return {
    servers: new Map(pairs(list.servers, (row) => row.hostname).filter(([id]) => servers.has(id))),
    sites: new Map(pairs(found.sites, (row) => row.domain).filter(([id]) => sites.has(id))),
    names: new Map(pairs(list.servers, (row) => row.name).filter(([id]) => names.has(id))),
  }
}

/** The integrity check of SQLite, and rows with invalid references. */
function check(file: string) {
  const database = new Database(file, { readonly: true })
  const integrity = database.query('pragma integrity_check').values().flat()
  const strays = database.query('pragma foreign_key_check').values()
  database.close()
  return { integrity, strays }
}
