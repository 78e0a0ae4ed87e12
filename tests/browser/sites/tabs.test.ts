// tier: gate
import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { foundSite, useFleet } from '#tests/support/browser/fleet.ts'
import { inspect } from '#tests/support/browser/inspect.ts'
import { settled } from '#tests/support/browser/settled.ts'

const { agent, dashboard, open } = useFleet()

agent.sites = [foundSite('tabs.example')]
beforeAll(async () => {
  const { headers } = await dashboard
    .client()
    .post('/api/servers/1/sites', { domain: 'made.example', php: '8.2', tls: 'none' })
  await dashboard.client().get(`/api/operations/${headers.get('operation-id')}/events`)
})

const selected = (page: Page, name: string) => page.getByRole('tab', { name, selected: true })
const TABS = {
  '': ['Overview'],
  Website: ['Domains', 'WordPress', 'PHP', 'Database', 'Jobs'],
  Copies: ['Backups', 'Staging'],
  'People and mail': ['Access', 'Mail'],
  Monitoring: ['Metrics', 'Report', 'Logs', 'Activity'],
}

test('the open tab is in the address, stays over a reload, and Back opens the previous one', async () => {
  const { page, problems } = await open('/sites/1')
  await selected(page, 'Overview').waitFor()
  expect(await page.getByRole('tab').allTextContents()).toEqual(Object.values(TABS).flat())
  const groups = Object.entries(TABS).map(([name, tabs]) => name + tabs.join(''))
  expect(await page.getByRole('tablist').locator('> div').allTextContents()).toEqual(groups)

  await page.getByRole('tab', { name: 'PHP' }).click()
  await page.waitForURL('**/sites/1?tab=php')
  await page.getByRole('button', { name: 'Change tier' }).waitFor()
  await page.getByRole('tab', { name: 'Activity' }).click()
  await page.waitForURL('**/sites/1?tab=activity')
  await page.reload()
  await selected(page, 'Activity').waitFor()
  await page.goBack()
  await selected(page, 'PHP').waitFor()
  await page.goBack()
  await selected(page, 'Overview').waitFor()
  expect(problems).toEqual([])
})

test('tabs are moved between with arrows and opened with Enter', async () => {
  const { page, problems } = await open('/sites/1')
  await selected(page, 'Overview').focus()

  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')

  await page.waitForURL('**/sites/1?tab=wordpress')
  await selected(page, 'WordPress').waitFor()
  expect(problems).toEqual([])
})

test('a tab that the site does not have opens the overview', async () => {
  const { page } = await open('/sites/1?tab=nonsense')
  await selected(page, 'Overview').waitFor()
})

test('the activity of a site lists who did what, with a link to each operation', async () => {
  const { page, problems } = await open('/sites/2?tab=activity')
  const list = page.getByRole('list', { name: 'Activity of the site' })
  await list.getByRole('link', { name: 'Create site' }).click()
  await page.waitForURL('**/operations/*')
  expect(problems).toEqual([])
})

test.each(Object.values(TABS).flat())('the tab %s is accessible and fits a phone', async (name) => {
  const { page, problems } = await open(`/sites/2?tab=${name.toLowerCase()}`)
  await selected(page, name).waitFor()
  await settled(page)

  expect({ ...(await inspect(page)), problems }).toEqual({
    ...{ light: [], dark: [], too_wide: [], problems: [] },
  })
})
