// tier: core
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { z } from 'zod'
import { MetricsHistory } from '#shared/metrics/api/metrics.ts'
import { BulkOperationView } from '#shared/operations/api/bulk-operations.ts'
import { OperationView } from '#shared/operations/api/operations.ts'
import { Fleet, FleetServerDetail, FleetSiteDetail } from '#shared/overview/api/fleet.ts'
import {
  type Demo,
  endOfDemo,
  eventsOfOperation,
  SCRIPT,
  START_MS,
  startDemo,
  untilIs,
} from '#tests/support/demo.ts'
import { sweep } from '#tests/support/processes.ts'

setDefaultTimeout(180_000)

let demo: Demo
beforeAll(async () => {
  demo = await startDemo()
}, START_MS)
afterAll(sweep)

const read = async <S extends z.ZodType>(path: string, schema: S) =>
  schema.parse((await demo.client.get(path)).body)
const server = async (id: number) =>
  (await read(`/api/fleet/servers/${id}`, z.object({ server: FleetServerDetail }))).server
const site = async (id: number) =>
  (await read(`/api/fleet/sites/${id}`, z.object({ site: FleetSiteDetail }))).site
const operation = async (id: string) =>
  (await read(`/api/operations/${id}`, z.object({ operation: OperationView }))).operation

const Created = z.object({ site: z.object({ id: z.number(), status: z.string() }) })

/** Asks for a site; its id, and that of the operation that makes it. */
async function ask(server_id: number, domain: string) {
  const answer = await demo.client.post(`/api/servers/${server_id}/sites`, { domain })
  const { site } = Created.parse(answer.body)
  return { ...site, operation_id: answer.headers.get('operation-id') ?? '' }
}

describe('the demo', () => {
  test('has a fleet with a few problems', async () => {
    const { servers, counts, attention } = await read('/api/fleet', Fleet)

    expect(servers.map(({ name }) => name)).toEqual(
      ['ams', 'fra', 'hel', 'nyc'].flatMap((region) =>
        ['01', '02', '03'].map((number) => `${region}-web-${number}`),
      ),
    )
    expect({ servers: counts.servers, sites: counts.sites }).toEqual({
      servers: { online: 9, offline: 2, pending: 1 },
      sites: { active: 293, failed: 1, missing: 1, trashed: 5 },
    })
    expect(Object.fromEntries(attention.map(({ kind, total }) => [kind, total]))).toEqual({
      backup_setup: 1,
      server_offline: 2,
      site_down: 2,
      site_degraded: 5,
      disk_full: 1,
      isolation: 1,
      site_failed: 1,
      certificate: 5,
      mail: 1,
      site_disk: 2,
      operation_failed: 1,
      site_missing: 1,
      php_eol: expect.any(Number),
      agent_outdated: 1,
      updates: expect.any(Number),
    })
    expect(counts.updates).toBeGreaterThan(50)
  })

  test('says on its pages that it is a demo', async () => {
    expect((await demo.client.get('/')).text).toContain('<meta name="demo" content="true">')
  })

  test('listens on loopback alone', () => {
    expect(new URL(demo.url).hostname).toBe('127.0.0.1')
  })

  test('has metrics of a month, and of an offline server until it disconnected', async () => {
    const DAY_MS = 86_400_000
    const from = new Date(Date.now() - 30 * DAY_MS).toISOString()
    const readings = async (id: number) => {
      const path = `/api/servers/${id}/metrics?from=${from}`
      const { at, cpu } = (await read(path, z.object({ metrics: MetricsHistory }))).metrics
      return at.filter((_, place) => cpu[place] !== null)
    }
    const [there, away] = [await readings(1), await readings(5)]

    expect(there.length).toBeGreaterThan(300)
    expect((there.at(-1) ?? 0) - (away.at(-1) ?? 0)).toBeGreaterThanOrEqual(2 * 3600)
  })

  test('creates a site with every step of the agent', async () => {
    const { id, status, operation_id } = await ask(1, 'new-shop.example')
    const events = await eventsOfOperation(demo.client, operation_id)
    const { user } = await site(id)
    const path = `/api/servers/1/sites/${id}`

    expect(status).toBe('provisioning')
    expect(events.map(({ data }) => data)).toEqual([
      ...[
        `Creating the system user ${user}`,
        'Creating the folders',
        'Copying WordPress',
        'Creating the database',
        'Installing WordPress',
        'Starting PHP 8.2',
        'Adding the virtual host',
        'Scheduling the jobs of WordPress',
        'Checking the front page',
        'Recording the site',
        'Requesting a certificate for new-shop.example',
        'Requesting a certificate for new-shop.example and www.new-shop.example',
        'Serving the certificate',
      ].map((message) => ({ message })),
      { status: 'ok', domain: 'new-shop.example' },
    ])
    expect((await demo.client.post(`${path}/db-password`)).status).toBe(200)
    expect((await demo.client.post('/api/servers/1/wp-scan', { site_id: id })).text).toContain(
      'data: {"wp_version":"7.1.1","plugins":2}',
    )
    expect((await site(id)).status).toBe('active')
    const { body } = await demo.client.get(`${path}/job-runs`)
    expect(Object(body).runs[0]).toMatchObject({ result: 'success', exit_status: 0, output: '' })
  })

  test('provides an agent for a new server', async () => {
    const input = { name: 'new-1', hostname: 'new-1.example.net' }
    const { server } = z
      .object({ server: z.object({ id: z.number() }) })
      .parse((await demo.client.post('/api/servers', input)).body)
    const opened = await demo.client.post(`/api/servers/${server.id}/enrolment`)

    expect(opened.body).toMatchObject({
      enrolment: {
        lines: expect.arrayContaining([expect.objectContaining({ machine: 'linux-x64' })]),
      },
    })
  })

  test('undoes a site that cannot be created', async () => {
    const { id, operation_id } = await ask(1, 'broken-shop.example')
    const events = await eventsOfOperation(demo.client, operation_id)
    const { status, status_reason } = await site(id)

    expect(events.at(-2)?.data).toEqual({
      message: expect.stringMatching(/^Undoing: Creating the system user/),
    })
    expect({ status, status_reason }).toEqual({
      status: 'failed',
      status_reason:
        'WordPress was not installed: Error: Error establishing a database connection.',
    })
  })

  test('cancels the creation of a site on request', async () => {
    const { id, operation_id } = await ask(8, 'slow-shop.example')
    await untilIs(
      () => operation(operation_id),
      ({ status }) => status === 'running',
    )
    await demo.client.post(`/api/operations/${operation_id}/cancel`)
    const events = await eventsOfOperation(demo.client, operation_id)
    const { status, status_reason } = await site(id)

    expect(events.at(-1)?.data).toEqual({
      error: 'Conflict',
      message: 'The operation was cancelled',
    })
    expect({ status, status_reason }).toEqual({
      status: 'cancelled',
      status_reason: 'Its creation was cancelled',
    })
  })

  test('moves a site to the trash and restores it', async () => {
    const { id, operation_id } = await ask(9, 'thrown-away.example')
    await eventsOfOperation(demo.client, operation_id)
    const path = `/api/servers/9/sites/${id}`
    await demo.client.send({ method: 'DELETE', path })
    await untilIs(
      () => site(id),
      ({ status }) => status === 'trashed',
    )
    await demo.client.post(`${path}/restore`)

    expect(
      (
        await untilIs(
          () => site(id),
          (one) => one.operation_id === null,
        )
      ).status,
    ).toBe('active')
  })

  test('resumes a bulk operation on request', async () => {
    const Bulks = z.object({ bulk_operations: z.array(BulkOperationView) })
    const bulks = async () => (await read('/api/bulk-operations', Bulks)).bulk_operations
    const [paused, done] = await bulks()
    await demo.client.post(`/api/bulk-operations/${paused?.id}/resume`)
    const [ended] = await untilIs(bulks, ([first]) => first?.finished_at !== null)

    expect([paused?.status, paused?.counts.waiting, done?.status]).toEqual([
      'paused',
      12,
      'success',
    ])
    expect(ended?.counts).toMatchObject({ total: 15, success: 12, failed: 3 })
  })

  test('takes offline servers online again, and runs their waiting operations', async () => {
    const [waiting] = (await server(6)).operations
    const away = await server(5)
    const { id } = await ask(5, 'waits-for-it.example')
    process.kill(demo.pid, 'SIGUSR1')
    const made = await untilIs(
      () => site(id),
      ({ status }) => status !== 'provisioning',
    )
    const ended = await untilIs(
      () => operation(waiting?.id ?? ''),
      (one) => one.finished_at !== null,
    )

    expect([away.status, away.status_reason]).toEqual([
      'offline',
      'The agent on web-02.fra.example.net:8443 refused the connection',
    ])
    expect(made.status).toBe('active')
    expect([waiting?.status, ended.status]).toEqual(['queued', 'success'])
    await untilIs(
      () => server(5),
      ({ status }) => status === 'online',
    )
  })

  test('has a new server online automatically', async () => {
    const answer = await demo.client.post('/api/servers', { hostname: 'web.new.example.net' })
    const { server: made } = z
      .object({ server: z.object({ id: z.number(), status: z.string() }) })
      .parse(answer.body)

    expect(made.status).toBe('pending')
    const online = await untilIs(
      () => server(made.id),
      ({ status }) => status === 'online',
    )
    expect(online.os).toBe('Debian GNU/Linux 12 (bookworm)')
    expect((await demo.client.get(`/api/servers/${made.id}/enrolment`)).body).toEqual({
      enrolment: { enrolled_at: expect.any(String), code: null },
    })
  })

  test('has agents that accept a new key', async () => {
    const Keys = z.object({ keys: z.array(z.object({ agents: z.number() })) })
    await demo.client.post('/api/keys/rotate')
    for (const id of [1, 3]) await demo.client.post(`/api/servers/${id}/sync`)

    const [current] = (await read('/api/keys', Keys)).keys
    expect(current?.agents).toBeGreaterThanOrEqual(2)
  })

  test('ends cleanly and leaves nothing behind', async () => {
    const before = await demo.left()
    const status = await demo.stop()

    expect({ status, before: before.length, after: await demo.left() }).toEqual({
      status: 0,
      before: 1,
      after: [],
    })
  })
})

test('sh scripts/demo.sh lists the options', async () => {
  const { code, out } = await endOfDemo(['--help'], {}, SCRIPT)

  expect(code).toBe(0)
  expect(out).toStartWith('sh scripts/demo.sh (or: bun run demo): the dashboard with a simulated')
})

describe('a demo that cannot start', () => {
  test('with a bad option ends with 2 and one line', async () => {
    const { code, err } = await endOfDemo(['--sites', 'many'])

    expect({ code, err }).toEqual({
      code: 2,
      err: '--sites must be a whole number between 0 and 50000\n',
    })
  })

  test('in a folder that is not empty ends with one line', async () => {
    const { code, err } = await endOfDemo(['--data', import.meta.dir])

    expect({ code, err }).toEqual({
      code: 1,
      err: 'error: --data must be a new folder, or an empty one\n',
    })
  })

  test('in production ends with one line', async () => {
    const env = { NODE_ENV: 'production', WEB_DIR: import.meta.dir }
    const { code, err } = await endOfDemo(['--port', '0', '--sites', '5', '--servers', '1'], env)

    expect({ code, err }).toEqual({ code: 1, err: 'error: A demo does not run in production\n' })
  })
})
