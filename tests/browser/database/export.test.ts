// tier: gate
import { expect, test } from 'bun:test'
import { useShop } from '#tests/support/browser/fleet.ts'

const { agent, open } = useShop()
const path = '/sites/1?tab=database'
let running: { bytes: number; total: number } | null = null

agent.answers.set('/sites/database-users', () => Response.json({ users: [] }))
agent.answers.set('/sites/database-export', () => new Response('packed'))
agent.answers.set('/sites/database-exporting', () => Response.json({ export: running }))

test('shows how far an export is while it runs', async () => {
  const { page, problems } = await open(path)
  running = { bytes: 1_500_000, total: 6_000_000 }

  await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export database' }).click(),
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
