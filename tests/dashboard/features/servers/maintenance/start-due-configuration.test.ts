import { describe, expect } from 'bun:test'
import { eq } from 'drizzle-orm'
import { startDueConfiguration } from '#dashboard/features/servers/maintenance/start-due-configuration.ts'
import { operations, servers } from '#dashboard/kernel/db/schema.ts'
import type { Maintenance } from '#shared/updates/maintenance.ts'
import { type Dashboard, agentTest as test } from '#tests/support/dashboard/dashboard.ts'
import { ended } from '#tests/support/dashboard/operations.ts'
import type { FakeAgent } from '#tests/support/fake-agent.ts'
import { Refused } from '#tests/support/fake-operation.ts'
import { pendingPackage, WELL } from '#tests/support/maintenance.ts'

const sync = async (dashboard: Dashboard, server: number) =>
  (await dashboard.send('POST', `/api/servers/${server}/sync`)).text()
const read = async (dashboard: Dashboard, server: number) =>
  (await dashboard.call('GET', `/api/servers/${server}/maintenance`)).body

describe('the updates of a server', () => {
  test('are the last reported ones', async ({ agent, dashboard }) => {
    const server = await dashboard.addServer(agent)
    await sync(dashboard, server)
    expect(await read(dashboard, server)).toEqual({ at: null, maintenance: null })

    agent.maintenance = { ...WELL, packages: [pendingPackage('libssl3')] }
    await sync(dashboard, server)
    const first = await read(dashboard, server)
    await sync(dashboard, server)

    expect(first.maintenance).toEqual(agent.maintenance)
    expect(await read(dashboard, server)).toEqual(first)
  })

  test.each([
    ['does not know the call', () => Response.json({ error: 'Not found' }, { status: 404 })],
    ['answers something else', () => Response.json({ maintenance: { packages: 'all' } })],
    [
      'sends what would break a page',
      () =>
        Response.json({
          maintenance: { ...WELL, packages: [pendingPackage('evil\n\u001b[31m')] },
        }),
    ],
    [
      'sends more than anybody has',
      () =>
        Response.json({
          maintenance: { ...WELL, packages: Array(4000).fill(pendingPackage('x')) },
        }),
    ],
  ])('stay recorded unchanged with an agent that %s', async ({ agent, dashboard }, _, answer) => {
    const server = await dashboard.addServer(agent)
    agent.maintenance = WELL
    await sync(dashboard, server)
    agent.answers.set('/maintenance', answer)

    expect(await sync(dashboard, server)).toContain('event: complete')

    expect((await read(dashboard, server)).maintenance).toEqual(WELL)
  })

  test('are installed by an operation that reports its changes', async ({ agent, dashboard }) => {
    const server = await dashboard.addServer(agent)
    const asked: unknown[] = []
    agent.works.set('server.update', async function* (params) {
      asked.push(params)
      yield 'Installing security updates of libssl3'
      return { packages: ['libssl3'], restarted: ['nginx'], reboot_needed: false }
    })

    const response = await dashboard.send('POST', `/api/servers/${server}/update`, { scope: 'all' })

    const text = await response.text()
    expect(text).toContain('Installing security updates of libssl3')
    expect(text).toContain('"packages":["libssl3"],"restarted":["nginx"],"reboot_needed":false')
    expect(asked).toEqual([{ scope: 'all', restart_database: false }])
    const wrong = await dashboard.call('POST', `/api/servers/${server}/update`, { scope: 'some' })
    expect([wrong.status, wrong.body.fields]).toEqual([422, { scope: ['Must be security or all'] }])
  })
})

describe('unattended security updates', () => {
  async function home(dashboard: Dashboard, agent: FakeAgent, unattended: object): Promise<number> {
    const server = await dashboard.addServer(agent)
    const found = { ...WELL.unattended, ...unattended } as Maintenance['unattended']
    agent.maintenance = { ...WELL, unattended: found }
    await sync(dashboard, server)
    return server
  }
  const listed = (dashboard: Dashboard) =>
    dashboard.db.read.select().from(operations).where(eq(operations.type, 'updates.configure'))
  const begun = async (dashboard: Dashboard) =>
    (await listed(dashboard)).map(({ params, actor }) => [params, actor])

  test.each([
    { name: 'were never configured', now: { wanted: null, source: 'none' }, setting: true },
    { name: 'are off against the setting', now: { wanted: false }, setting: true },
    { name: 'are on against the setting', now: { wanted: true }, setting: false },
  ] as const)('are configured where they $name', async ({ agent, dashboard }, { now, setting }) => {
    agent.works.set('updates.configure', async function* () {
      yield 'Configuring unattended security updates'
      return { unattended: WELL.unattended }
    })
    await home(dashboard, agent, now)
    await dashboard.call('PUT', '/api/settings/unattended_updates', { value: setting })

    await startDueConfiguration(dashboard.deps)

    expect(await begun(dashboard)).toEqual([[{ unattended: setting }, null]])
    const [operation] = await listed(dashboard)
    expect(await ended(dashboard, operation?.id ?? '')).toMatchObject({ status: 'success' })
  })

  test('stay unchanged where they are correct, an administrator decided, or the agent is offline', async ({
    agent,
    dashboard,
  }) => {
    await home(dashboard, agent, {})
    await home(dashboard, agent, { wanted: null, source: 'administrator', enabled: false })
    const away = await home(dashboard, agent, { wanted: false })
    await dashboard.db.write((queries) =>
      queries.update(servers).set({ status: 'offline' }).where(eq(servers.id, away)),
    )

    await startDueConfiguration(dashboard.deps)

    expect(await begun(dashboard)).toEqual([])
  })

  test('are tried again a day after they were refused', async ({ agent, dashboard }) => {
    // biome-ignore lint/correctness/useYield: refused before its first message
    agent.works.set('updates.configure', async function* () {
      throw new Refused({ error: 'Internal error', message: 'no network' })
    })
    await home(dashboard, agent, { wanted: null, source: 'none' })
    await startDueConfiguration(dashboard.deps)
    const [first] = await listed(dashboard)
    await ended(dashboard, first?.id ?? '')

    await startDueConfiguration(dashboard.deps)
    expect((await begun(dashboard)).length).toBe(1)
    const created_at = new Date(Date.now() - 25 * 3600_000).toISOString()
    await dashboard.db.write((queries) => queries.update(operations).set({ created_at }))
    await startDueConfiguration(dashboard.deps)

    expect((await begun(dashboard)).length).toBe(2)
  })

  test('are a setting that is on by default', async ({ dashboard }) => {
    const settings = async () =>
      (await dashboard.call('GET', '/api/fleet/settings')).body.settings.unattended_updates

    const before = await settings()
    const refused = await dashboard.call('PUT', '/api/settings/unattended_updates', { value: 'no' })
    const changed = await dashboard.call('PUT', '/api/settings/unattended_updates', {
      value: false,
    })

    expect([before, refused.status, changed.body.value, await settings()]).toEqual([
      true,
      422,
      false,
      false,
    ])
  })
})
