import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { backgroundSync } from '#dashboard/features/servers/sync/run-sync.ts'
import { listFleetSites } from '#dashboard/features/sites/listing/sites.queries.ts'
import { sites } from '#dashboard/kernel/db/schema.ts'
import { FleetSitesQuery } from '#shared/sites/api/site-filters.ts'
import { makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { found } from '#tests/support/found-sites.ts'

/** A fleet with four sites, the pages of its list, and changes of its records. */
async function fleet() {
  const agent = new FakeAgent()
  const dashboard = await makeDashboard()
  agent.sites = ['delta', 'alpha', 'gamma', 'beta'].map((name) => found(`${name}.example`))
  await backgroundSync(dashboard.deps, await dashboard.addServer(agent))
  return {
    /** The first letters of the names on a page, and the number of all. */
    async page(query: Record<string, string>): Promise<[string, number]> {
      const parsed = FleetSitesQuery.parse(query)
      const { sites, total } = await listFleetSites(dashboard.db, parsed, new Date())
      return [sites.map(({ domain }) => domain[0]).join(''), total]
    },
    set: (id: number, values: Partial<typeof sites.$inferInsert>) =>
      dashboard.db.write((queries) => queries.update(sites).set(values).where(eq(sites.id, id))),
    async [Symbol.asyncDispose]() {
      await agent.stop()
      await dashboard[Symbol.asyncDispose]()
    },
  }
}

test('pages by domain have the same order and numbers as those of every filter', async () => {
  await using world = await fleet()
  const { page, set } = world
  await set(2, { staging: true })
  await set(3, { ignored_at: '2026-11-01T00:00:00.000Z' })
  await set(4, { status: 'trashed' })
  const cases: [Record<string, string>, [string, number]][] = [
    [{}, ['abd', 3]],
    [{ order: 'desc', per_page: '2' }, ['db', 3]],
    [{ per_page: '2', page: '2' }, ['d', 3]],
    [{ status: 'active' }, ['ad', 2]],
    [{ status: 'active,trashed', staging: 'false' }, ['bd', 2]],
    [{ ignored: 'true' }, ['g', 1]],
    [{ managed: 'true' }, ['', 0]],
  ]

  for (const [query, expected] of cases) {
    expect([query, await page(query)]).toEqual([query, expected])
    // A filter that all have, which the index by domain lacks.
    const more = { ...query, framework: 'wordpress' }
    expect([more, await page(more)]).toEqual([more, expected])
  }
})

test('a number is that of the records at once after a change', async () => {
  await using world = await fleet()
  const { page, set } = world
  const before = await page({ status: 'suspended' })
  await set(1, { status: 'suspended' })

  expect([before, await page({ status: 'suspended' })]).toEqual([
    ['', 0],
    ['d', 1],
  ])
})
