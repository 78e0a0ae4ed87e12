// tier: core
import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { Client, eventsOf } from '#tests/support/client.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { ADMIN, startDashboard, sweep, temporaryFolder } from '#tests/support/processes.ts'
import { copyRecords } from '#tests/support/records.ts'
import { long } from '#tests/support/runs.ts'

setDefaultTimeout(60_000)
afterAll(sweep)

const LINES = 5
const SITES = 8
const KILLS = long ? 40 : 2

async function folderOfRecords(): Promise<string> {
  const folder = await temporaryFolder('kills')
  await copyRecords(`${folder}/records.db`)
  return folder
}

async function begin(folder: string, cookie?: string) {
  const dashboard = await startDashboard(folder, { DATABASE_URL: `file:${folder}/records.db` })
  const client = new Client(dashboard.url, cookie)
  if (!cookie) await client.login(ADMIN)
  return { dashboard, client, cookie: client.cookie ?? '' }
}

/** Looks until it is so. */
async function until(look: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 30_000; !(await look()); ) {
    if (Date.now() > end) throw new Error('It did not come to pass')
    await Bun.sleep(5)
  }
}

async function streamed(client: Client, path: string) {
  return eventsOf((await client.get(path)).text)
}

/** The integrity check of SQLite, and operations without exactly one end. */
function check(file: string) {
  const database = new Database(file, { readonly: true })
  const integrity = database.query('pragma integrity_check').values().flat()
  const ends = `select count(*) from operation_events where operation_id = operations.id and event <> 'log'`
  const odd = database.query(`select id from operations where (${ends}) <> 1`).values()
  database.close()
  return { integrity, odd }
}

describe('a dashboard that is killed', () => {
  test('at any event of an operation continues from there, and misses none', async () => {
    const agent = new FakeAgent()
    const gates = Array.from({ length: LINES + 1 }, () => Promise.withResolvers<void>())
    agent.works.set('site.create', async function* ({ domain }) {
      const stop = Number(String(domain).slice(1, 2))
      for (let line = 1; line <= LINES; line++) {
        if (line > stop) await gates[stop]?.promise
        yield `Line ${line}`
      }
      await gates[stop]?.promise
      return { status: 'ok', domain }
    })
    const folder = await folderOfRecords()
    const first = await begin(folder)
    await first.client.post('/api/servers', { hostname: '127.0.0.1', port: agent.port })
    const ids = await Promise.all(
      gates.map(async (_, stop) => {
        const site = { domain: `e${stop}.example`, php: '8.2', tls: 'none' }
        return (await first.client.post('/api/servers/1/sites', site)).headers.get('operation-id')
      }),
    )
    const stored = new Database(`${folder}/records.db`, { readonly: true })
    const count = stored.query('select count(*) from operation_events')
    await until(async () => Number(count.values()[0]?.[0]) === (LINES * (LINES + 1)) / 2)
    stored.close()

    await first.dashboard.kill()
    for (const { resolve } of gates) resolve()
    const second = await begin(folder, first.cookie)

    for (const [stop, id] of ids.entries())
      expect(await streamed(second.client, `/api/operations/${id}/events`)).toEqual([
        ...Array.from({ length: LINES }, (_, at) => ({
          id: at + 1,
          event: 'log',
          data: { message: `Line ${at + 1}` },
        })),
        {
          id: LINES + 1,
          event: 'complete',
          data: { status: 'ok', domain: `e${stop}.example` },
        },
      ])
    expect([...agent.started.values()]).toEqual(gates.map(() => 1))
    await second.dashboard.kill()
    expect(check(`${folder}/records.db`)).toEqual({ integrity: ['ok'], odd: [] })
    await agent.stop()
  })

  test('in the middle of a bulk operation starts nothing twice and forgets nothing', async () => {
    const agent = new FakeAgent()
    agent.works.set('pool.apply', async function* ({ tier }) {
      yield 'Applying'
      await Bun.sleep(30)
      return { tier }
    })
    const folder = await folderOfRecords()
    let run = await begin(folder)
    await run.client.post('/api/servers', { hostname: '127.0.0.1', port: agent.port })
    for (let site = 1; site <= SITES; site++) {
      const body = { domain: `s${site}.example`, php: '8.2', tls: 'none' }
      const made = await run.client.post('/api/servers/1/sites', body)
      await streamed(run.client, `/api/operations/${made.headers.get('operation-id')}/events`)
    }
    agent.started.clear()
    const { body } = await run.client.post('/api/bulk-operations', {
      type: 'pool.apply',
      params: { tier: 'medium' },
      targets: { site_ids: Array.from({ length: SITES }, (_, at) => at + 1) },
    })
    const { id } = (body as { bulk_operation: { id: string } }).bulk_operation
    const path = `/api/bulk-operations/${id}`
    const counts = async () => {
      const answer = await run.client.get(path)
      type Bulk = { counts: { success: number; failed: number }; finished_at: string | null }
      return (answer.body as { bulk_operation: Bulk }).bulk_operation
    }

    for (let kill = 1; kill <= KILLS; kill++) {
      const enough = Math.floor((SITES * kill) / (KILLS + 1))
      await until(async () => (await counts()).counts.success >= enough)
      await Bun.sleep(kill % 7)
      await run.dashboard.kill()
      run = await begin(folder, run.cookie)
    }
    const events = await streamed(run.client, `${path}/events`)

    expect(await counts()).toMatchObject({ counts: { success: SITES, failed: 0 } })
    expect(agent.started.size).toBe(SITES)
    expect(new Set(agent.started.values())).toEqual(new Set([1]))
    expect(events.map((event) => event.id)).toEqual(events.map((_, at) => at + 1))
    expect(events).toHaveLength(2 * SITES + 2)
    expect(events.at(-1)).toMatchObject({ event: 'complete' })
    await run.dashboard.kill()
    expect(check(`${folder}/records.db`)).toEqual({ integrity: ['ok'], odd: [] })
    await agent.stop()
  })
})
