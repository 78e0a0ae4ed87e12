// tier: gate
import { afterAll, expect, test } from 'bun:test'
import { addServer, useFleet } from '#tests/support/browser/fleet.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'

const { agent, dashboard, open } = useFleet()
const other = new FakeAgent()
afterAll(() => other.stop())

agent.plan = { steps: [{ name: 'user', title: 'Creating the system user', effects: [] }] }

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

test('fields below the list of servers appear with it, not to move under the pointer', async () => {
  const listed = Promise.withResolvers<void>()
  const { page, problems } = await open('/activity')
  await page.route('**/api/fleet', async (route) => {
    await listed.promise
    await route.continue()
  })
  await page.goto('/sites/new')
  await page.getByRole('textbox', { name: 'Domain' }).waitFor()
  expect(await page.getByRole('radio').count()).toBe(0)
  listed.resolve()

  await page.getByRole('radio', { name: 'medium' }).check()

  expect(await page.getByRole('radio', { name: /^web-1/ }).count()).toBe(1)
  expect(problems).toEqual([])
})

test('the only server stays selected when another one comes online', async () => {
  const { page, problems } = await open('/sites/new')
  await page.getByRole('radio', { name: /^web-1/, checked: true }).waitFor()
  await page.getByRole('textbox', { name: 'Domain' }).fill('stays.example')
  await page.getByRole('button', { name: 'Review plan' }).click()
  const plan = page.getByRole('region', { name: 'The plan of the site' })
  await plan.getByText('web-1').waitFor()

  await addServer(dashboard, other, 'web-2')
  await page.getByRole('radio', { name: /^web-2/ }).waitFor()

  expect(await page.getByRole('radio', { name: /^web-1/ }).isChecked()).toBe(true)
  await page.getByRole('button', { name: 'Create site' }).click()
  await page.waitForURL('**/sites/*?operation=*')
  expect(problems).toEqual([])
})
