import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { startDueChecks } from '#dashboard/features/servers/isolation/start-due-checks.ts'
import { isolation_checks, operations, servers, sites } from '#dashboard/kernel/db/schema.ts'
import { type Dashboard, makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { ended } from '#tests/support/dashboard/operations.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'

const DAY_MS = 24 * 3600_000
const ago = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString()

function checking(): FakeAgent {
  const agent = new FakeAgent()
  // biome-ignore lint/correctness/useYield: a work without messages
  agent.works.set('isolation.check', async function* () {
    const counts = { refused: 0, succeeded: 0, not_applicable: 0, error: 0 }
    return { status: 'ok', checked_at: ago(0), counts, results: [] }
  })
  return agent
}

describe('weekly checks', () => {
  /** A server with a site, registered some days ago, last checked some days ago. */
  async function home(
    dashboard: Dashboard,
    agent: { port: number },
    { age = 30, checked, failed }: { age?: number; checked?: number; failed?: [number, number] },
  ): Promise<number> {
    const id = await dashboard.addServer(agent)
    const name = `s${id}.example`
    const kind = {
      php: '8.4',
      tier: 'small',
      tls: 'none',
      managed: true,
      status: 'active',
    } as const
    await dashboard.db.write((queries) =>
      queries
        .update(servers)
        .set({ status: 'online', created_at: ago(age) })
        .where(eq(servers.id, id)),
    )
    await dashboard.db.write((queries) =>
      queries.insert(sites).values({
        server_id: id,
        domain: name,
        apex: name,
        user: 's',
        created_at: ago(age),
        ...kind,
      }),
    )
    const [failures = 0, at] = failed ?? []
    await dashboard.db.write((queries) =>
      queries.insert(isolation_checks).values({
        server_id: id,
        checked_at: checked === undefined ? null : ago(checked),
        ...(at === undefined ? {} : { failures, failed_at: ago(at) }),
      }),
    )
    return id
  }

  const begun = async (dashboard: Dashboard) => {
    const rows = await dashboard.db.read
      .select({ id: operations.id, server_id: operations.server_id, actor: operations.actor })
      .from(operations)
      .where(eq(operations.type, 'isolation.check'))
    return rows
  }

  test.each([
    ['of a server that was never checked', {}, 1],
    ['of a server that was checked 8 days ago', { checked: 8 }, 1],
    ['not of a server that was checked 6 days ago', { checked: 6 }, 0],
    ['again a day after the first failure', { checked: 3, failed: [1, 1.5] }, 1],
    ['not sooner', { checked: 3, failed: [1, 0.5] }, 0],
    ['a week after the second failure', { checked: 30, failed: [2, 8] }, 1],
    ['not sooner', { checked: 30, failed: [2, 6] }, 0],
    ['not of a server that is new', { age: 0.5 }, 0],
  ] as [string, Parameters<typeof home>[2], number][])('begin %s: %j', async (_, state, count) => {
    await using agent = checking()
    await using dashboard = await makeDashboard()
    const id = await home(dashboard, agent, state)

    await startDueChecks(dashboard.deps)

    const rows = await begun(dashboard)
    expect(rows.map(({ server_id, actor }) => ({ server_id, actor }))).toEqual(
      Array.from({ length: count }, () => ({ server_id: id, actor: null })),
    )
    for (const row of rows) expect((await ended(dashboard, row.id)).status).toBe('success')
    await startDueChecks(dashboard.deps)
    expect(await begun(dashboard)).toHaveLength(count)
  })

  test('leave out servers that are offline or have no sites', async () => {
    await using agent = checking()
    await using dashboard = await makeDashboard()
    const offline = await home(dashboard, agent, {})
    const empty = await home(dashboard, agent, {})
    await dashboard.db.write((queries) =>
      queries.update(servers).set({ status: 'offline' }).where(eq(servers.id, offline)),
    )
    await dashboard.db.write((queries) => queries.delete(sites).where(eq(sites.server_id, empty)))

    await startDueChecks(dashboard.deps)

    expect(await begun(dashboard)).toEqual([])
  })

  test('are spread: one server at a time, the longest due first', async () => {
    await using agent = checking()
    await using dashboard = await makeDashboard()
    await home(dashboard, agent, { checked: 8 })
    const oldest = await home(dashboard, agent, { checked: 20 })
    await home(dashboard, agent, { checked: 9 })

    await startDueChecks(dashboard.deps)

    expect((await begun(dashboard)).map(({ server_id }) => server_id)).toEqual([oldest])
  })
})
