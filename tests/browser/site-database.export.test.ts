// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { addServer, addSite, makesSites } from '#tests/support/browser/fleet.ts'
import { useBrowser } from '#tests/support/browser/pages.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { useDashboard } from '#tests/support/running.ts'

const dashboard = useDashboard()
const open = useBrowser(dashboard)
const agent = new FakeAgent()
const domain = 'shop.example'
let path = ''
let running: { bytes: number; total: number } | null = null

beforeAll(async () => {
  makesSites(agent)
  agent.answers.set('/sites/database-users', () => Response.json({ users: [] }))
  agent.answers.set('/sites/database-export', () => new Response('packed'))
  agent.answers.set('/sites/database-exporting', () => Response.json({ export: running }))
  await addServer(dashboard, agent, 'web-1')
  const call = { domain, php: '8.2', tls: 'none' }
  path = `/sites/${await addSite(dashboard, '/api/servers/1/sites', call)}?tab=database`
})
afterAll(() => agent.stop())

test('shows how far an export is while it runs', async () => {
  const { page, problems } = await open(path)
  running = { bytes: 1_500_000, total: 6_000_000 }

  await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export database' }).click(),
  ])

  const bar = page.getByRole('progressbar', { name: 'Export' })
  await bar.waitFor()
  await page.getByText('1.5 MB of about 6 MB').waitFor()
  running = { bytes: 7_000_000, total: 6_000_000 }
  await page.getByText('7 MB until now').waitFor()
  expect(await bar.count()).toBe(0)
  running = null
  await page.getByText('7 MB until now').waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})
