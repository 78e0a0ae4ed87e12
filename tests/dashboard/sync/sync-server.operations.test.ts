import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { operations } from '#dashboard/db/operations-schema.ts'
import { sites } from '#dashboard/db/schema.ts'
import type { FoundSite } from '#shared/found-site.ts'
import { DisposableAgent, makeDashboard, until } from '#tests/support/dashboard/dashboard.ts'
import { events, hangs, movingServers } from '#tests/support/dashboard/moves.ts'
import { found } from '#tests/support/dashboard/sites.ts'

const former = found('shop.example', { php: '8.3' })

/** An agent with one site on record, whose operations end at once. */
async function oneSite() {
  const agent = new DisposableAgent()
  const dashboard = await makeDashboard()
  const server = await dashboard.addServer(agent)
  const body = { domain: 'shop.example', php: '8.2', tier: 'small', tls: 'none' }
  const made = await dashboard.call('POST', `/api/servers/${server}/sites`, {
    ...{ ...body, email: 'owner@shop.example' },
  })
  const { id } = made.body.site
  const site = async () => (await dashboard.call('GET', `/api/fleet/sites/${id}`)).body.site
  await until(async () => (await site()).status === 'active')
  agent.works.set('pool.apply', async function* () {
    yield 'Applying the tier'
    return { status: 'ok', tier: 'large' }
  })
  const operate = async () => {
    const pool = { user: (await site()).user, php_version: '8.2', tier: 'large' }
    return (await dashboard.send('POST', `/api/servers/${server}/pool-apply`, pool)).text()
  }
  const sync = async () => (await dashboard.send('POST', `/api/servers/${server}/sync`)).text()
  const end = async () => {
    await dashboard[Symbol.asyncDispose]()
    await agent[Symbol.asyncDispose]()
  }
  return { agent, dashboard, server, site, operate, sync, [Symbol.asyncDispose]: end }
}

/** What the agent answers about its sites, after it has done this. */
const reporting =
  (listed: readonly FoundSite[], first: () => Promise<unknown> = async () => undefined) =>
  async () => {
    await first()
    return Response.json({ sites: listed, total: listed.length })
  }

describe('a sync', () => {
  test('that began before a move leaves the site on its new server alone', async () => {
    await using all = await movingServers()
    const { dashboard, first, second } = all
    const move = () => events(all, 'move', { server_id: second })
    all.one.agent.answers.set('/sites', reporting([], move))

    const text = await (await dashboard.send('POST', `/api/servers/${first}/sync`)).text()

    expect(text).toContain('event: complete')
    const { server_id, status } = await all.site(all.shop)
    expect([server_id, status]).toEqual([second, 'active'])
  })

  test('during a move does not miss the site that its server only forwards to', async () => {
    await using all = await movingServers()
    const { dashboard, first, second, shop: id } = all
    const begun = Promise.withResolvers<void>()
    const isLast = ({ state }: Record<string, unknown>) => state === 'arrived'
    hangs(all, { of: 'two', command: 'site.switch', when: isLast }, begun.resolve)
    const path = `/api/servers/${first}/sites/${id}/move`
    const moving = dashboard.send('POST', path, { server_id: second })
    await begun.promise

    const text = await (await dashboard.send('POST', `/api/servers/${first}/sync`)).text()

    expect(text).not.toContain('Missing on the server')
    expect((await all.site(id)).status).toBe('active')
    void moving.catch(() => undefined)
  })

  test('that began before an operation does not judge its site', async () => {
    await using all = await oneSite()
    all.agent.answers.set('/sites', reporting([], all.operate))

    await all.sync()

    expect((await all.site()).status).toBe('active')
    all.agent.answers.delete('/sites')
    await all.sync()
    expect((await all.site()).status).toBe('missing')
  })

  test('does not judge a site whose operation ends meanwhile', async () => {
    await using all = await oneSite()
    const { db } = all.dashboard
    await all.operate()
    const setOperation = (values: Partial<typeof operations.$inferInsert>) =>
      db.write((queries) =>
        queries.update(operations).set(values).where(eq(operations.type, 'pool.apply')),
      )
    // Its end has an earlier time, as in the records of another dashboard.
    const [ended] = await db.read.select().from(operations).where(eq(operations.type, 'pool.apply'))
    await setOperation({ status: 'running', finished_at: null })
    const ends = () => setOperation({ status: 'success', finished_at: ended?.finished_at ?? null })
    all.agent.answers.set('/sites', reporting([], ends))

    await all.sync()

    expect((await all.site()).status).toBe('active')
  })

  test('keeps what an operation has changed since', async () => {
    await using all = await oneSite()
    const { db } = all.dashboard
    const changed = async () => {
      await all.operate()
      await db.write((queries) => queries.update(sites).set({ php: '8.4' }))
    }
    all.agent.answers.set('/sites', reporting([former], changed))

    await all.sync()

    expect((await all.site()).php).toBe('8.4')
    all.agent.answers.set('/sites', reporting([former]))
    await all.sync()
    expect((await all.site()).php).toBe('8.3')
  })
})
