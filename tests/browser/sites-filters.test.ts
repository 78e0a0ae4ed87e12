import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { addServer, foundSite } from '#tests/support/browser/fleet.ts'
import { useBrowser } from '#tests/support/browser/pages.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { useDashboard } from '#tests/support/running.ts'

const dashboard = useDashboard()
const open = useBrowser(dashboard)
const agent = new FakeAgent()
const domain = (number: number) => `site-${String(number).padStart(2, '0')}.example`

beforeAll(async () => {
  agent.sites = Array.from({ length: 30 }, (_, index) =>
    foundSite(domain(index), {
      php: index < 4 ? '8.0' : '8.2',
      framework: index === 9 ? 'static' : 'wordpress',
    }),
  )
  await addServer(dashboard, agent, 'web-1')
})
afterAll(() => agent.stop())

const select = (page: Page, number: number) =>
  page.getByRole('checkbox', { name: `Select ${domain(number)}` })

test.each([
  ['php=8.0', '4 sites match'],
  ['php=8.0,8.1', '4 sites match'],
  ['php=8.0&php=8.2', '30 sites match'],
  ['tier=small&tls=none', '30 sites match'],
  ['framework=static', '1 site matches'],
  ['q=site-1', '10 sites match'],
  ['server_id=1&managed=false', '30 sites match'],
  ['updates=true', '0 sites match'],
  ['expiring=false', '30 sites match'],
  ['status=active&sort=created_at&order=asc', '30 sites match'],
])('a hand-written address with %s works', async (query, words) => {
  const { page, problems } = await open(`/sites?${query}`)

  await page.getByText(words, { exact: true }).waitFor()
  expect(problems).toEqual([])
})

test.each([
  ['/sites?php=latest', 'php=latest: Must be one or more PHP versions'],
  ['/sites?updates=perhaps', 'updates=perhaps: Must be true or false'],
  ['/sites?phpp=8.0', 'phpp=8.0: No filter has this name'],
  ['/servers?status=asleep', 'status=asleep: Must be one or more of pending'],
  ['/operations?status=done', 'status=done: Must be one or more of queued'],
  ['/activity?server_id=first', 'server_id=first: Must be an id'],
])('%s shows an error, not a list of everything', async (path, words) => {
  const { page, problems } = await open(path)
  const alert = page.getByRole('alert')
  await alert.getByText(words).waitFor()
  expect(await page.getByRole('grid').count()).toBe(0)

  await alert.getByRole('button', { name: 'Remove from the address' }).click()

  await page.waitForURL((url) => url.search === '')
  await alert.waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})

test('a filter is readable in the address, and Back undoes it', async () => {
  const { page, problems } = await open('/sites')
  await page.getByText('30 sites', { exact: true }).waitFor()

  await page.getByLabel('PHP').selectOption('8.0')
  await page.waitForURL('**/sites?php=8.0')
  await page.getByText('4 sites match').waitFor()
  const box = page.getByRole('searchbox', { name: 'Search sites' })
  await box.pressSequentially('site-0')
  await page.waitForURL('**/sites?php=8.0&q=site-0')

  await page.goBack()
  await page.waitForURL((url) => url.search === '?php=8.0')
  expect(await box.inputValue()).toBe('')
  await page.goBack()
  await page.waitForURL((url) => url.search === '')
  await page.getByText('30 sites', { exact: true }).waitFor()
  expect(problems).toEqual([])
})

test('actions skip selected sites that the filter hides', async () => {
  const { page, problems } = await open('/sites')
  await select(page, 0).click()
  await select(page, 5).click()
  const bar = page.getByRole('region', { name: 'Selected sites' })
  await bar.getByText('2 selected', { exact: true }).waitFor()

  await page.getByRole('searchbox', { name: 'Search sites' }).fill(domain(5))
  await bar.getByText('1 selected, 1 more hidden by the filter').waitFor()
  await bar.getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Move 1 site to trash' }).waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })

  await page.getByRole('searchbox', { name: 'Search sites' }).fill('nothing-has-this-name')
  await bar.getByText('2 selected, hidden by the filter').waitFor()
  expect(await bar.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
  await page.getByRole('searchbox', { name: 'Search sites' }).fill('')
  await bar.getByText('2 selected', { exact: true }).waitFor()
  expect(problems).toEqual([])
})

test('the selection survives opening a site', async () => {
  const { page, problems } = await open('/sites')
  await select(page, 2).click()
  await page.getByRole('link', { name: domain(3) }).click()
  await page.getByRole('heading', { level: 1, name: domain(3) }).waitFor()

  await page.goBack()

  await page.getByText('1 selected', { exact: true }).waitFor()
  expect(await select(page, 2).isChecked()).toBe(true)
  expect(problems).toEqual([])
})

test('Shift selects all sites between two', async () => {
  const { page, problems } = await open('/sites')
  await select(page, 2).click()
  await select(page, 8).click({ modifiers: ['Shift'] })

  await page.getByText('7 selected', { exact: true }).waitFor()
  expect(await select(page, 5).isChecked()).toBe(true)
  expect(problems).toEqual([])
})

test('on a phone, one checkbox selects all matching sites', async () => {
  const { page, problems } = await open('/sites?php=8.0', {
    viewport: { width: 390, height: 844 },
  })
  await page.getByText('Select all', { exact: true }).click()

  await page.getByText('4 selected', { exact: true }).waitFor()
  expect(problems).toEqual([])
})
