import { expect, test } from 'bun:test'
import { jobTroubles } from '#dashboard/features/overview/overview.ts'
import { reportStatements } from '#dashboard/features/servers/reports.queries.ts'
import { batch } from '#dashboard/kernel/db/client.ts'
import { servers, sites } from '#dashboard/kernel/db/schema.ts'
import type { SiteJobTrouble } from '#shared/jobs/site-jobs.ts'
import { makeDashboard } from '#tests/support/dashboard/dashboard.ts'

const AT = '2026-03-10T12:00:00.000Z'
const domain = 'shop.example'
const trouble = (more: Partial<SiteJobTrouble>): SiteJobTrouble => ({
  ...{ domain, failing: [], overdue_since: null },
  ...more,
})
const failing = [
  { name: 'import', failures: 4, at: AT },
  { name: 'report', failures: 3, at: AT },
]

/** The overview of one server whose agent reports this about its only site. */
async function itemsOf(jobs: SiteJobTrouble[], status: 'active' | 'suspended' = 'active') {
  await using dashboard = await makeDashboard()
  const { body } = await dashboard.call('POST', '/api/servers', { hostname: 'a.example' })
  const server_id: number = body.server.id
  const kind = { php: '8.4', tier: 'small', tls: 'none', managed: true } as const
  const site = { server_id, domain, apex: domain, user: 'shop', ...kind, status, created_at: AT }
  await dashboard.db.write((queries) =>
    batch(queries, [
      queries.update(servers).set({ status: 'online' }),
      queries.insert(sites).values(site),
      ...reportStatements(queries, { server_id, now: AT }, { jobs }),
    ]),
  )
  const [group] = await jobTroubles(dashboard.db)
  return group?.items.map(({ name, severity, reason, at }) => ({ name, severity, reason, at }))
}

test.each([
  [
    'a failing job',
    trouble({ failing: failing.slice(0, 1) }),
    'The cron job import failed 4 times in a row: see its output in the tab Jobs',
  ],
  [
    'several of them',
    trouble({ failing }),
    'The cron job import failed 4 times in a row, and 1 more: see its output in the tab Jobs',
  ],
  [
    'events that do not run',
    trouble({ failing, overdue_since: AT }),
    'The events of WordPress do not run: see the output of their last runs in the tab Jobs',
  ],
])('names %s with what to do', async (_, reported, reason) => {
  expect(await itemsOf([reported])).toEqual([{ name: domain, severity: 'warning', reason, at: AT }])
})

test('says nothing of other sites, and of a suspended one', async () => {
  expect(await itemsOf([])).toBeUndefined()
  expect(await itemsOf([trouble({ failing, domain: 'gone.example' })])).toBeUndefined()
  expect(await itemsOf([trouble({ failing })], 'suspended')).toBeUndefined()
})
