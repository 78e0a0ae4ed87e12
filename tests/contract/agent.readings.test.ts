// tier: core
import { describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { PROTOCOL } from '#shared/kernel/protocol.ts'
import { Usage } from '#shared/metrics/site-usage.ts'
import { Certificates, FoundSites, Metrics, Services, Web } from '#shared/servers/agent.ts'
import { Changes, PARTS, type PartVersions, sinceOf } from '#shared/servers/changes.ts'
import { runtimesOf } from '#tests/support/processes.ts'
import { useAgent } from '#tests/support/running.ts'
import packageJson from '../../package.json' with { type: 'json' }

const amount = expect.any(Number)
/** Returns the uptime of the kernel, in seconds (proc(5)). */
const uptime = async () => Number((await readFile('/proc/uptime', 'utf8')).split(' ')[0])
const space = { used: amount, total: amount, unit: 'MB' }

describe.each(runtimesOf('agent.readings'))('%s', (runtime) => {
  const { client } = useAgent(runtime)

  test('GET /metrics has exactly cpu, ram, disk, load, uptime, os and version', async () => {
    const { status, body, headers } = await client().get('/metrics')

    expect({ status, body }).toEqual({
      status: 200,
      body: {
        cpu: amount,
        ram: space,
        disk: space,
        load: [amount, amount, amount],
        uptime: amount,
        os: expect.any(String),
        version: packageJson.version,
        protocol: PROTOCOL,
      },
    })
    expect(Metrics.safeParse(body).success).toBe(true)
    expect(headers.get('cache-control')).toBe('no-store')
  })

  test('GET /sites/numbers has the sites since a time in seconds', async () => {
    const { status, body } = await client().get('/sites/numbers?since=1767225600')
    const refused = await client().get('/sites/numbers?since=yesterday')

    expect({ status, body }).toEqual({ status: 200, body: { sites: [] } })
    expect([refused.status, Object.keys(Object(refused.body).fields ?? {})]).toEqual([
      422,
      ['since'],
    ])
  })

  test('GET /changes has everything at first, and holds the call while nothing changes', async () => {
    const { status, headers, body } = await client().get('/changes')
    const { versions, answers } = Changes.parse(body)
    const paths = Object.values(PARTS).flat()
    const alone = await Promise.all(
      paths.map(async (path) => [path, (await client().get(path)).body] as const),
    )
    const start = performance.now()
    const since = new URLSearchParams({ since: sinceOf(versions as PartVersions) })
    const next = await client().get(`/changes?wait=1&${since}`)
    const waited = performance.now() - start

    expect({ status, type: headers.get('content-type') }).toEqual({
      ...{ status: 200, type: 'application/json' },
    })
    expect(answers).toEqual(Object.fromEntries(alone))
    const hash = expect.stringMatching(/^[\w-]{43}$/)
    expect(versions).toEqual({ health: hash, numbers: '0', state: hash })
    expect(next).toMatchObject({ status: 200, body: { versions, answers: {} } })
    expect(Object.keys(Object(next.body).answers)).toEqual([])
    expect(waited).toBeGreaterThan(950)
  })

  test('GET /changes carries the part alone that differs, at once', async () => {
    const { versions } = Changes.parse((await client().get('/changes')).body)
    const since = new URLSearchParams({
      since: sinceOf({ ...versions, health: 'x' } as PartVersions),
    })
    const start = performance.now()
    const { body } = await client().get(`/changes?wait=50&${since}`)

    expect(body).toMatchObject({ versions })
    expect(Object.keys(Object(body).answers)).toEqual(['/sites/health'])
    expect(performance.now() - start).toBeLessThan(40_000)
  })

  test.each([
    ['wait=56', ['wait']],
    ['wait=-1', ['wait']],
    [`since=health.${'x'.repeat(65)}`, ['since']],
    ['since=disk.abc', ['since']],
  ])('GET /changes?%s is refused', async (query, fields) => {
    const { status, body } = await client().get(`/changes?${query}`)
    expect({ status, fields: Object.keys(Object(body).fields) }).toEqual({ status: 422, fields })
  })

  test('GET /metrics reports the values of the kernel', async () => {
    const before = await uptime()
    const metrics = Metrics.parse((await client().get('/metrics')).body)

    expect(metrics.cpu).toBeWithin(0, 100.01)
    expect(metrics.ram.total).toBeWithin(totalmem() / 2 ** 20 - 1, totalmem() / 2 ** 20 + 1)
    expect(metrics.ram.used).toBeWithin(1, metrics.ram.total)
    expect(metrics.disk.used).toBeWithin(1, metrics.disk.total + 1)
    expect(metrics.uptime).toBeWithin(Math.floor(before), (await uptime()) + 1)
    for (const load of metrics.load) expect(load).toBeWithin(0, 100 * cpus().length)
    expect(metrics.os).toMatch(/\S/)
  })

  test('GET /metrics measures the CPU again: a busy core is seen', async () => {
    await client().get('/metrics')
    const until = performance.now() + 400
    while (performance.now() < until) Math.sqrt(until)

    const { cpu } = Metrics.parse((await client().get('/metrics')).body)

    expect(cpu).toBeGreaterThan(50 / cpus().length)
  })

  test('GET /services lists names and statuses and nothing else', async () => {
    const { status, body } = await client().get('/services')

    expect(status).toBe(200)
    const { services } = Services.strict().parse(body)
    expect(body).toEqual({ services })
    expect(new Set(services.map(({ name }) => name)).size).toBe(services.length)
  })

  test.each([
    ['/sites', 'sites', FoundSites],
    ['/web', 'web servers and sites without a domain', Web],
    ['/certificates', 'the expiry of served certificates', Certificates],
    ['/usage', 'the disk use of its sites', Usage],
  ])('GET %s lists %s in their exact shape', async (path, _, shape) => {
    const { status, body } = await client().get(path)

    expect(status).toBe(200)
    expect(body).toEqual(shape.strict().parse(body))
  })

  test.each([
    ['/trash', 'deleted sites that can be restored', { trash: [] }],
    ['/access', 'who can log in to its sites', { sites: [] }],
    ['/logins', 'the logins of people to sites', { logins: [], refusals: [], list: null }],
    ['/maintenance', 'nothing of a server that is not provisioned', { maintenance: null }],
    ['/sites/health', 'whether its sites work', { sites: [] }],
  ])('GET %s reports %s', async (path, _, answer) => {
    const { status, body } = await client().get(path)

    expect({ status, body }).toEqual({ status: 200, body: answer })
  })

  test('answers many concurrent readings', async () => {
    const paths = ['/metrics', '/services', '/sites', '/health']
    const calls = Array.from({ length: 80 }, (_, n) => client().get(paths[n % 4] ?? '/health'))

    const statuses = (await Promise.all(calls)).map(({ status }) => status)

    expect(new Set(statuses)).toEqual(new Set([200]))
  })
})
