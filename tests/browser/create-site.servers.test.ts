// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { addServer } from '#tests/support/browser/fleet.ts'
import { useBrowser } from '#tests/support/browser/pages.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { useDashboard } from '#tests/support/running.ts'

const dashboard = useDashboard()
const open = useBrowser(dashboard)
const agent = new FakeAgent()

beforeAll(async () => {
  agent.plan = { steps: [{ name: 'user', title: 'Creating the system user', effects: [] }] }
  await addServer(dashboard, agent, 'web-1')
})
afterAll(() => agent.stop())

test('a plan can be reviewed as soon as the servers are known', async () => {
  const listed = Promise.withResolvers<void>()
  const { page, problems } = await open('/activity')
  await page.route('**/api/fleet', async (route) => {
    await listed.promise
    await route.continue()
  })
  await page.goto('/sites/new')
  await page.getByRole('textbox', { name: 'Domain' }).fill('early.example')
  const review = page.getByRole('button', { name: 'Review plan' })
  expect(await review.isDisabled()).toBe(true)
  listed.resolve()

  await review.click()

  await page.getByRole('list', { name: 'Steps of the plan' }).waitFor()
  expect(problems).toEqual([])
})
