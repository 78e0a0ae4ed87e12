// tier: gate
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { addFilter } from '#tests/support/browser/filters.ts'
import { foundSite, useFleet } from '#tests/support/browser/fleet.ts'

const { agent, open } = useFleet()
const domain = (number: number) => `site-${String(number).padStart(2, '0')}.example`

agent.sites = Array.from({ length: 30 }, (_, index) =>
  foundSite(domain(index), {
    php: index < 4 ? '8.0' : '8.2',
    framework: index === 9 ? 'static' : 'wordpress',
  }),
)

const select = (page: Page, number: number) =>
  page.getByRole('checkbox', { name: `Select ${domain(number)}` })

test.each([
  ['php=8.0', '4 of 30 sites'],
  ['php=8.0,8.1', '4 of 30 sites'],
  ['php=8.0&php=8.2', '30 of 30 sites'],
  ['tier=small&tls=none', '30 of 30 sites'],
  ['framework=static', '1 of 30 sites'],
  ['q=site-1', '10 of 30 sites'],
  ['server_id=1&managed=false', '30 of 30 sites'],
  ['updates=true', '0 of 30 sites'],
  ['expiring=false', '30 of 30 sites'],
  ['status=active&sort=created_at&order=asc', '30 of 30 sites'],
])('a hand-written address with %s works', async (query, words) => {
  const { page, problems } = await open(`/sites?${query}`)

  await page.getByText(words, { exact: true }).waitFor()
  expect(problems).toEqual([])
})

test.each([
  ['/sites?php=latest', 'php=latest: Must be one or more PHP versions'],
  ['/sites?updates=perhaps', 'updates=perhaps: Must be true or false'],
  ['/sites?disk=full', 'disk=full: Must be one or more of over, near, unknown'],
  ['/sites?errors=some', 'errors=some: Must be true or false'],
  ['/sites?phpp=8.0', 'phpp=8.0: No filter has this name'],
  ['/servers?status=asleep', 'status=asleep: Must be one or more of pending'],
  ['/operations?status=done', 'status=done: Must be one or more of queued'],
  ['/activity?server_id=first', 'server_id=first: Must be an id'],
])('%s shows an error, not a list of everything', async (path, words) => {
  const { page, problems } = await open(path)
  const alert = page.getByRole('alert')
  await alert.getByText(words).waitFor()
  expect(await page.getByRole('grid').count()).toBe(0)

  await alert.getByRole('button', { name: 'Remove invalid filters' }).click()

  await page.waitForURL((url) => url.search === '')
  await alert.waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})

test('a filter is readable in the address, and Back undoes it', async () => {
  const { page, problems } = await open('/sites')
  await page.getByText('30 sites', { exact: true }).waitFor()

  await addFilter(page, 'PHP', 'PHP 8.0')
  await page.waitForURL('**/sites?php=8.0')
  await page.getByText('4 of 30 sites').waitFor()
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

test('a filter takes several values, and its chip removes it', async () => {
  const { page, problems } = await open('/sites?php=8.0')
  await page.getByText('4 of 30 sites').waitFor()
  await page.getByRole('button', { name: 'PHP: PHP 8.0' }).click()
  await page.getByRole('checkbox', { name: 'PHP 8.2' }).check()
  await page.waitForURL('**/sites?php=8.0,8.2')
  await page.getByText('30 of 30 sites').waitFor()
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Remove filter PHP' }).click()
  await page.waitForURL((url) => url.search === '')
  await page.getByText('30 sites', { exact: true }).waitFor()
  const add = page.getByRole('button', { name: 'Filter', exact: true })
  expect(await add.evaluate((button) => button === document.activeElement)).toBe(true)
  expect(problems).toEqual([])
})

test('a saved view is a name for an address, and stays in the browser until it is deleted', async () => {
  const { page, problems } = await open('/sites?php=8.0&q=site-0&order=desc')
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('textbox', { name: 'Name of the view' }).fill('Outdated')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'View: Outdated' }).waitFor()

  await page.goto('/sites?tier=large')
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('button', { name: 'Outdated', exact: true }).click()
  await page.waitForURL('**/sites?q=site-0&php=8.0&order=desc')
  await page.getByText('4 of 30 sites').waitFor()

  await page.getByRole('button', { name: 'View: Outdated' }).click()
  await page.getByRole('button', { name: 'Delete view Outdated' }).click()
  await page.getByRole('textbox', { name: 'Name of the view' }).waitFor()
  expect(problems).toEqual([])
})

test('actions skip selected sites that the filter hides', async () => {
  const { page, problems } = await open('/sites')
  await select(page, 0).click()
  await select(page, 5).click()
  const bar = page.getByRole('region', { name: 'Selected sites' })
  await bar.getByText('2 selected', { exact: true }).waitFor()

  await page.getByRole('searchbox', { name: 'Search sites' }).fill(domain(5))
  await bar.getByText('2 selected, 1 hidden by filters').waitFor()
  await bar.getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Move 1 site to trash' }).waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })

  await page.getByRole('searchbox', { name: 'Search sites' }).fill('nothing-has-this-name')
  await bar.getByText('2 selected, 2 hidden by filters').waitFor()
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
