// tier: full
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { LEASE_MS } from '#dashboard/kernel/leases/shared-leases.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import {
  create,
  type Member,
  ODD,
  startThree,
  streamed,
  until,
} from '#tests/support/leases/fleet.ts'
import { sweep } from '#tests/support/processes.ts'
import { long } from '#tests/support/runs.ts'

setDefaultTimeout(long ? 3_600_000 : 180_000)
afterAll(sweep)

const KILLS = long ? 200 : 2
const LINES = 5
/** The promise: the time of the lease and a second. */
const TAKEOVER_MS = LEASE_MS + 1_000

/** The events of an operation whose work has so many lines. */
const whole = (domain: string) => [
  ...Array.from({ length: LINES }, (_, at) => ({
    id: at + 1,
    event: 'log',
    data: { message: `Line ${at + 1}` },
  })),
  { id: LINES + 1, event: 'complete', data: { status: 'ok', domain } },
]

/** A work that prints one line, and the others after `gate`. */
function gated(agent: FakeAgent, gate: Promise<void>): void {
  agent.works.set('site.create', async function* ({ domain }) {
    for (let line = 1; line <= LINES; line++) {
      if (line === 2) await gate
      yield `Line ${line}`
    }
    return { status: 'ok', domain }
  })
}

/** The one that has the share of the server, and another. */
function holderOf(members: readonly Member[], server: number): [holder: Member, other: Member] {
  const holder = members.find((member) => member.shares().has(`servers ${server}`))
  const other = members.find((member) => member !== holder)
  if (!holder || !other) throw new Error(`nobody has server ${server}`)
  return [holder, other]
}

describe('three dashboards on one libSQL server', () => {
  test('share the work, and each shows every operation, change and session of all', async () => {
    const agent = new FakeAgent()
    const { records, members } = await startThree(agent)
    const [one, two, three] = members as [Member, Member, Member]

    // Each server has another holder: at least one of these runs elsewhere.
    const domains = ['a.example', 'b.example', 'c.example']
    const ids = await Promise.all(domains.map((domain, at) => create(two, at + 1, domain)))
    for (const [at, id] of ids.entries())
      for (const { client } of members)
        expect(await streamed(client, `/api/operations/${id}/events`)).toEqual([
          { id: 1, event: 'log', data: { message: `Creating ${domains[at]}` } },
          { id: 2, event: 'complete', data: { status: 'ok', domain: domains[at] } },
        ])
    // At each of them, a call that waits for its outcome.
    for (const { client } of members)
      expect((await client.post('/api/servers/1/sync')).text).toContain('event: complete')

    const setting = { value: 300 }
    expect((await one.client.put('/api/settings/sync_interval', setting)).status).toBe(200)
    expect((await three.client.get('/api/settings')).body).toMatchObject({
      settings: { sync_interval: 300 },
    })

    const stream = await two.client.open({ path: '/api/fleet/events' })
    const ended = stream.text().then(() => performance.now())
    await one.client.post('/api/auth/logout')
    const out = performance.now()
    const statuses = members.map(({ client }) => client.get('/api/servers'))
    expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([401, 401, 401])
    expect((await ended) - out).toBeLessThan(2_000)
    expect(await records.rows(ODD)).toEqual([])
    expect([...agent.started.values()]).toEqual([1, 1, 1])
    await records.stop()
    await agent.stop()
  })

  test(`lose and repeat nothing when they are killed ${KILLS} times, and take over in time`, async () => {
    const agent = new FakeAgent()
    const { records, members } = await startThree(agent)
    let slowest = 0
    for (let kill = 1; kill <= KILLS; kill++) {
      const gate = Promise.withResolvers<void>()
      gated(agent, gate.promise)
      const server = 1 + (kill % 3)
      const [holder, other] = holderOf(members, server)
      const domain = `k${kill}.example`
      const id = await create(kill % 2 ? holder : other, server, domain)
      await until('the first line', async () => {
        const [row] = await records.rows(
          `select count(*) as lines from operation_events where operation_id = '${id}'`,
        )
        return Number(row?.lines) === 1
      })

      await holder.dashboard.kill()
      const killed = performance.now()
      gate.resolve()
      expect(await streamed(other.client, `/api/operations/${id}/events`)).toEqual(whole(domain))
      slowest = Math.max(slowest, performance.now() - killed)

      members.splice(members.indexOf(holder), 1, await records.add())
      await until('even shares', async () => Bun.deepEquals(await records.shares(), [6, 6, 5]))
    }
    expect(slowest).toBeLessThan(TAKEOVER_MS)
    expect(await records.rows(ODD)).toEqual([])
    expect([...agent.started.values()]).toEqual(Array.from({ length: KILLS }, () => 1))
    await records.stop()
    await agent.stop()
  })

  test('refuse every write of one that was paused and wakes with its old leases', async () => {
    const agent = new FakeAgent()
    const { records, members } = await startThree(agent)
    const gate = Promise.withResolvers<void>()
    gated(agent, gate.promise)
    const [holder, other] = holderOf(members, 1)
    const id = await create(holder, 1, 'p.example')
    const EVENTS = `select id, event, data from operation_events where operation_id = '${id}' order by id`
    await until('the first line', async () => (await records.rows(EVENTS)).length === 1)

    process.kill(holder.dashboard.pid, 'SIGSTOP')
    await until(
      'a takeover',
      async () =>
        other.shares().has('servers 1') ||
        members.some((member) => member !== holder && member.shares().has('servers 1')),
      TAKEOVER_MS,
    )
    gate.resolve()
    expect(await streamed(other.client, `/api/operations/${id}/events`)).toEqual(whole('p.example'))
    const stored = await records.rows(EVENTS)
    process.kill(holder.dashboard.pid, 'SIGCONT')
    await until('even shares', async () => Bun.deepEquals(await records.shares(), [6, 6, 5]))

    expect(await records.rows(EVENTS)).toEqual(stored)
    expect(await streamed(holder.client, `/api/operations/${id}/events`)).toEqual(
      whole('p.example'),
    )
    expect(await records.rows(ODD)).toEqual([])
    expect([...agent.started.values()]).toEqual([1])
    await records.stop()
    await agent.stop()
  })

  test('continue after the server of the records was killed, for longer than a lease', async () => {
    const agent = new FakeAgent()
    const { records, members } = await startThree(agent)
    const gate = Promise.withResolvers<void>()
    gated(agent, gate.promise)
    const [holder, other] = holderOf(members, 2)
    const id = await create(other, 2, 'd.example')

    await records.sqld.kill()
    gate.resolve()
    await Bun.sleep(TAKEOVER_MS)
    expect((await holder.client.get('/api/servers')).status).toBe(500)
    await records.sqld.start()

    expect(await streamed(other.client, `/api/operations/${id}/events`)).toEqual(whole('d.example'))
    await until('even shares', async () => Bun.deepEquals(await records.shares(), [6, 6, 5]))
    expect(await records.rows(ODD)).toEqual([])
    expect([...agent.started.values()]).toEqual([1])
    await records.stop()
    await agent.stop()
  })
})
