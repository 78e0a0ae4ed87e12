// tier: full
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { listening, type Running } from '#tests/support/children.ts'
import { type Answer, Client, eventsOf } from '#tests/support/client.ts'
import { ADMIN, dashboardFolder, startDashboard, sweep } from '#tests/support/processes.ts'
import { Pulse } from '#tests/support/pulse.ts'

setDefaultTimeout(180_000)

/** Far more than it takes on a machine that does nothing else; far less than one that hangs. */
const MAX_MS = 2000
const MIB = 1 << 20
const NOTE = 'The rest of the output is omitted: an operation keeps 20,000 lines and 4 MiB'

/** The engine as a dashboard in use has it: most tests run with less, since they end so soon. */
const ENGINE = { BUN_JSC_useDFGJIT: '1', BUN_JSC_useConcurrentGC: '1' }

let folder = ''
let dashboard: Running
let agent: Running
let client: Client
beforeAll(async () => {
  folder = await dashboardFolder()
  agent = await listening(['bun', join(import.meta.dir, '../support/hostile-agent.ts')], {
    env: ENGINE,
  })
  dashboard = await startDashboard(folder, ENGINE)
  client = new Client(dashboard.url)
  await client.login(ADMIN)
  // A sync every hour: those of this test are its own.
  await client.put('/api/settings/sync_interval', { value: 3600 })
  await client.post('/api/servers', { hostname: '127.0.0.1', port: agent.port })
  await client.post('/api/servers', { hostname: '127.0.0.1', port: 1 })
})
afterAll(sweep)

/** The answer of the dashboard to `work`, while another client checks that it responds. */
async function whileAsked<T>(work: () => Promise<T>): Promise<T> {
  const pulse = new Pulse(dashboard.url)
  const result = await work()
  const { times_ms, failures } = await pulse.stop()
  const [longest_ms, answers] = [Math.max(...times_ms), times_ms.length]
  if (process.env.HOSTING_LONG) console.log({ longest_ms, answers })
  expect({ failures, isSlow: longest_ms > MAX_MS }).toEqual({ failures: 0, isSlow: false })
  expect(answers).toBeGreaterThan(10)
  return result
}

function rows<T>(query: string): T[] {
  const database = new Database(join(folder, 'dashboard.db'), { readonly: true })
  try {
    return database.query(query).all() as T[]
  } finally {
    database.close()
  }
}

/** More sites of the server, as many days of imports would leave them. */
function fill(count: number): void {
  const database = new Database(join(folder, 'dashboard.db'))
  database.run('pragma busy_timeout = 5000')
  database.run(
    `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ?)
    insert into sites (server_id, domain, apex, user, php, tier, tls, managed, status, created_at)
    select 1, 'm' || n || '.example', 'm' || n || '.example', 'shop', '8.4', 'small', 'none', 0,
      'active', '2026-01-01T00:00:00.000Z' from numbers`,
    [count],
  )
  database.close()
}

const lengthOf = ({ body }: Answer) => (body as { sites: object[] }).sites.length

async function sizeOf(path: string): Promise<number> {
  const names = await readdir(path, { recursive: true })
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(path, name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

describe('a stolen server', () => {
  test('that reports 100,000 new sites at each sync adds 2,000 of them, and delays nobody', async () => {
    const before = await sizeOf(folder)

    await whileAsked(async () => {
      for (let sync = 0; sync < 4; sync++) {
        const { text } = await client.post('/api/servers/1/sync')
        expect(eventsOf(text).at(-1)?.data).toEqual({ status: 'ok', sites: 100_000 })
      }
    })

    expect(rows('select server_id, count(*) as total from sites group by server_id')).toEqual([
      { server_id: 1, total: 2000 },
    ])
    expect((await sizeOf(folder)) - before).toBeLessThan(16 * MIB)
    const fleet = (await client.get('/api/fleet')).body as { attention: object[] }
    expect(fleet.attention).toContainEqual(
      expect.objectContaining({ kind: 'sites_not_recorded', severity: 'warning' }),
    )
  })

  test('has the maximum of recorded sites, and listing them delays nobody', async () => {
    fill(8000)

    const lengths = await whileAsked(async () => {
      const lists = [
        '/api/servers/1/sites',
        '/api/fleet/sites?per_page=500',
        '/api/fleet/sites/ids',
      ]
      for (const path of [...lists, '/api/fleet', '/api/trash']) await client.get(path)
      return Promise.all(lists.map(async (path) => lengthOf(await client.get(path))))
    })

    expect(lengths).toEqual([10_000, 500, 10_000])
  })

  test('cannot take names from another server', async () => {
    const [{ domain } = { domain: '' }] = rows<{ domain: string }>('select domain from sites')

    const other = await client.post('/api/servers/2/sites', { domain })
    const own = await client.post('/api/servers/1/sites', { domain })

    expect([domain !== '', other.status, own.status]).toEqual([true, 201, 422])
  })

  test('that sends 30 MB of output gets 4 MiB of it stored, and its operation ends', async () => {
    const before = await sizeOf(folder)

    const { text, headers } = await whileAsked(() => client.post('/api/servers/1/provision', {}))

    const line = Buffer.byteLength(JSON.stringify({ message: 'x'.repeat(16_384) }))
    const note = Buffer.byteLength(JSON.stringify({ message: NOTE }))
    const fit = Math.floor((4 * MIB - note) / line)
    expect(eventsOf(text).slice(fit)).toEqual([
      { id: fit + 1, event: 'log', data: { message: NOTE } },
      { id: fit + 2, event: 'complete', data: { status: 'ok', php_versions: [] } },
    ])
    const id = headers.get('operation-id')
    expect(
      rows(`select count(*) as events, sum(length(cast(data as blob))) as bytes
        from operation_events where operation_id = '${id}' and event = 'log'`),
    ).toEqual([{ events: fit + 1, bytes: fit * line + note }])
    expect((await sizeOf(folder)) - before).toBeLessThan(24 * MIB)
  })

  test('that sends endless output fails its operation', async () => {
    const path = '/api/servers/1/services/restart'

    const answer = await whileAsked(() => client.post(path, { service: 'nginx' }))

    expect(answer.status).toBe(500)
    const message = 'The agent sent more than 50,000 events or 32 MiB for one operation'
    const { body } = await client.get('/api/operations?type=service.restart')
    expect((body as { operations: object[] }).operations).toMatchObject([
      { status: 'failed', error: { error: 'Internal error', message } },
    ])
  })
})
