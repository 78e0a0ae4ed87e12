// tier: gate
import { expect, test } from 'bun:test'
import { violationsOf } from '#tests/support/browser/axe.ts'
import { useBrowser } from '#tests/support/browser/pages.ts'
import { useDashboard } from '#tests/support/running.ts'

const dashboard = useDashboard()
const open = useBrowser(dashboard)

test('the API can be searched, and a call shows its input and answers', async () => {
  const { page, problems } = await open('/')
  await page.getByRole('link', { name: 'API', exact: true }).click()
  await page.getByLabel('Search the calls').fill('wordpress post')
  await page.getByRole('link', { name: 'POST Create a WordPress site' }).click()

  await page.getByRole('heading', { level: 2, name: 'Create a WordPress site' }).waitFor()
  const line = await page.getByRole('group', { name: 'the curl line' }).textContent()
  const body = page.locator('section', { has: page.getByRole('heading', { name: 'Body' }) })

  expect(line).toStartWith(`curl -X POST '${dashboard.running().url}/api/servers/1/sites'`)
  expect(await body.getByText('Unique over all sites').isVisible()).toBe(true)
  expect(problems).toEqual([])
})

test('an address opens a call, on a phone too, and its errors expand', async () => {
  const viewport = { width: 390, height: 844 }
  const { page, problems } = await open('/docs?op=createServer', { viewport })
  await page.getByText('A field of the body or the query breaks its rule').click()

  await page.getByText('Hostname is required').waitFor()
  await page.getByRole('link', { name: 'All calls' }).click()

  await page.getByRole('link', { name: 'POST Register a server' }).waitFor()
  expect(new URL(page.url()).search).toBe('')
  expect(problems).toEqual([])
})

test('toasts can be closed by everybody, however many are shown', async () => {
  const { page, problems } = await open('/docs/components')
  const fail = page.getByRole('button', { name: 'Show error' })
  for (let count = 0; count < 4; count += 1) await fail.click()
  await page.getByRole('button', { name: 'Dismiss' }).nth(2).waitFor()

  expect(await violationsOf(page)).toEqual([])
  expect(await page.getByRole('button', { name: 'Dismiss' }).count()).toBe(3)
  expect(problems).toEqual([])
})
