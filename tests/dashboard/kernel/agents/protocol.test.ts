// tier: gate
import { describe, expect, test } from 'bun:test'
import { backgroundSync } from '#dashboard/features/servers/sync/run-sync.ts'
import type { AgentAddress } from '#dashboard/kernel/agents/transport.ts'
import { PROTOCOL } from '#shared/kernel/protocol.ts'
import { logDownloadReading } from '#shared/logs/readings.ts'
import { Metrics } from '#shared/servers/agent.ts'
import { changesReading } from '#shared/servers/changes.readings.ts'
import { buildReading } from '#shared/servers/readings.ts'
import { trashReading } from '#shared/sites/readings.ts'
import { makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { found } from '#tests/support/found-sites.ts'

const REFUSED = {
  status: 409,
  body: {
    error: 'Conflict',
    message: 'The agent of this server has another protocol than this dashboard: upgrade the agent',
    code: 'upgrade_needed',
  },
}
const OTHERS = [undefined, 0, PROTOCOL + 1]

/** A dashboard with a synced server whose agent has a protocol, and a site of it. */
async function withServer(protocol: number | undefined) {
  const agent = new FakeAgent()
  agent.metrics = { ...agent.metrics, protocol }
  const dashboard = await makeDashboard()
  const id = await dashboard.addServer(agent)
  await dashboard.addSite(id)
  await backgroundSync(dashboard.deps, id)
  agent.asked.length = 0
  const call = (method: string, path: string, body?: object) =>
    dashboard.call(method, `/api/servers/${id}${path}`, body)
  const address: AgentAddress = {
    id,
    hostname: '127.0.0.1',
    port: agent.port,
    metrics: agent.metrics,
  }
  return {
    ...{ agent, dashboard, id, call, address },
    async [Symbol.asyncDispose]() {
      await dashboard[Symbol.asyncDispose]()
      await agent.stop()
    },
  }
}

describe.each(OTHERS)('a server whose agent has protocol %p', (protocol) => {
  test('has its sites, its metrics and its commands', async () => {
    await using all = await withServer(protocol)
    const { agent, dashboard, id, call } = all
    agent.sites = [...agent.sites, found('blog.example')]
    agent.answers.set('/sites/db-password', () => Response.json({ password: 'secret' }))

    const sync = await (await dashboard.send('POST', `/api/servers/${id}/sync`)).text()
    const created = await call('POST', '/sites', { domain: 'new.example' })
    const password = await call('POST', '/sites/1/db-password')

    expect(sync).toContain('event: complete\ndata: {"status":"ok","sites":2}')
    expect((await call('GET', '/sites')).body.sites).toHaveLength(3)
    expect([created.status, password.body]).toEqual([201, { password: 'secret' }])
    expect((await call('GET', '')).body.server.metrics.ram).toEqual(agent.metrics.ram)
  })

  test.each([
    ['GET', '/sites/1/job-runs'],
    ['GET', '/sites/1/jobs'],
    ['GET', '/sites/1/database'],
    ['GET', '/sites/1/logs'],
    ['GET', '/sites/1/logs/events?source=access'],
    ['GET', '/sites/1/object-cache'],
    ['GET', '/sites/1/wordpress-users'],
    ['DELETE', '/sites/1?dry_run=true'],
  ])('is not asked by %s %s, which needs another agent', async (method, path) => {
    await using all = await withServer(protocol)

    expect(await all.call(method, path)).toEqual(REFUSED)
    expect(all.agent.asked).toEqual([])
    expect(all.agent.began).toHaveLength(1)
  })

  test('gets no plan, no cancel request, no held call and no bytes', async () => {
    await using all = await withServer(protocol)
    const { agents } = all.dashboard.deps
    const { address } = all
    const refused = expect.objectContaining({ refusal: 'upgrade_needed' })

    const calls = [
      agents.plan(address, 'site.delete', { domain: 'shop.example' }),
      agents.post(address, '/operations/a/cancel', { force: false }, Metrics),
      agents.call(address, changesReading, { wait: '8' }),
      agents.call(address, logDownloadReading, { domain: 'shop.example', source: 'php' }),
      agents.call(address, trashReading, {}),
    ]

    const results = await Promise.allSettled(calls)
    expect(results).toEqual(calls.map(() => ({ status: 'rejected', reason: refused })))
    expect(all.agent.asked).toEqual([])
  })

  test('is upgraded', async () => {
    await using all = await withServer(protocol)
    const build = { version: '0.0.1', machine: 'linux-x64' }
    all.agent.answers.set('/build', () => Response.json(build))

    expect(await all.dashboard.deps.agents.call(all.address, buildReading, {})).toEqual(build)
  })

  test('needs attention', async () => {
    await using all = await withServer(protocol)

    const { body } = await all.dashboard.call('GET', '/api/fleet')

    const outdated = body.attention.find(({ kind }: { kind: string }) => kind === 'agent_outdated')
    expect(outdated).toMatchObject({
      severity: 'warning',
      items: [{ server_id: all.id, reason: expect.stringContaining('has another protocol') }],
    })
  })
})

test('an agent that was never read is asked for its protocol first', async () => {
  await using all = await withServer(undefined)
  const { agents } = all.dashboard.deps
  const { metrics: _, ...unread } = all.address

  await expect(agents.plan(unread, 'site.delete', {})).rejects.toMatchObject({
    refusal: 'upgrade_needed',
  })
  expect(all.agent.asked).toEqual(['GET /metrics'])
})
