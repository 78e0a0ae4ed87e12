// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { addServer, foundSite } from '#tests/support/browser/fleet.ts'
import { useBrowser } from '#tests/support/browser/pages.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { useDashboard } from '#tests/support/running.ts'

const dashboard = useDashboard()
const open = useBrowser(dashboard)
const agent = new FakeAgent()
afterAll(() => agent.stop())

beforeAll(async () => {
  const create = (path: string, body: object) => dashboard.client().post(path, body)
  await create('/api/servers', { name: 'fra-web-01', hostname: '127.0.0.1', port: 9 })
  await create('/api/servers/1/sites', { domain: 'flowers.example', tls: 'none' })
})

/** What Enter would choose. */
const first = (page: Page, name: string | RegExp) =>
  page.getByRole('option', { name }).and(page.locator('[data-highlighted]'))

test('the palette opens pages, servers and sites by keyboard alone', async () => {
  const { page, problems } = await open('/settings')
  const search = page.getByRole('combobox', { name: /^Search/ })
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()

  await page.keyboard.press('Control+k')
  await search.pressSequentially('fra-web')
  await first(page, /^fra-web-01/).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/servers/1')
  await search.waitFor({ state: 'detached' })

  await page.keyboard.press('Control+k')
  await search.pressSequentially('flow')
  await first(page, /^flowers\.example/).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/sites/1')
  await search.waitFor({ state: 'detached' })

  await page.keyboard.press('Control+k')
  await search.pressSequentially('dark')
  await first(page, 'Theme: dark').waitFor()
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark')
  await search.waitFor({ state: 'detached' })

  await page.keyboard.press('Control+k')
  await search.waitFor()
  await page.keyboard.press('Escape')
  await search.waitFor({ state: 'detached' })
  expect(new URL(page.url()).pathname).toBe('/sites/1')
  expect(problems).toEqual([])
})

test('the palette keeps the focus when the page behind it appears', async () => {
  const { page, problems } = await open('/settings')
  const search = page.getByRole('combobox', { name: /^Search/ })
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
  await page.keyboard.press('Control+k')
  await search.waitFor()
  await page.keyboard.press('Escape')
  await search.waitFor({ state: 'detached' })
  const scripts = Promise.withResolvers<void>()
  await page.route('**/*.js', async (route) => {
    await scripts.promise
    await route.continue()
  })

  await page.keyboard.type('gt')
  await page.waitForURL('**/trash')
  await page.keyboard.press('Control+k')
  await search.pressSequentially('flow')
  scripts.resolve()
  await page.locator('h1', { hasText: 'Trash' }).waitFor()
  await first(page, /^flowers\.example/).waitFor()

  await page.keyboard.press('Enter')
  await page.waitForURL('**/sites/1')
  await page.locator('h1:focus', { hasText: 'flowers.example' }).waitFor()
  expect(problems).toEqual([])
})

test('keys open pages and focus their heading, but not while typing', async () => {
  const { page, problems } = await open('/settings')
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()

  await page.keyboard.type('ga')
  await page.waitForURL('**/activity')
  await page.locator('h1:focus', { hasText: 'Activity' }).waitFor()

  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: /^Search/ }).pressSequentially('gs?')
  await page.getByText('No results.').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('combobox', { name: /^Search/ }).waitFor({ state: 'detached' })
  expect(new URL(page.url()).pathname).toBe('/activity')

  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await help.getByText('Go to Servers').waitFor()
  await help.getByRole('checkbox').uncheck()
  await page.keyboard.press('Escape')
  await help.waitFor({ state: 'detached' })
  await page.keyboard.type('gs')
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: /^Search/ }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/activity')
  expect(problems).toEqual([])
})

test('on the page of a site, the palette has its tabs and actions', async () => {
  agent.sites = [foundSite('shop.example')]
  agent.works.set('cache.purge', async function* (params) {
    yield 'Emptying the page cache'
    return params
  })
  await addServer(dashboard, agent, 'web-2')
  const { page, problems } = await open('/sites/2')
  const search = page.getByRole('combobox', { name: /^Search/ })
  await page.getByRole('heading', { level: 1, name: 'shop.example' }).waitFor()

  await page.keyboard.press('Control+k')
  await search.pressSequentially('backups tab')
  await first(page, /^Backups/).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/sites/2?tab=backups')
  await search.waitFor({ state: 'detached' })

  await page.keyboard.press('Control+k')
  await search.pressSequentially('clear cache')
  await first(page, 'Clear cache').waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('Emptied the page cache of shop.example').waitFor()

  await page.goto('/sites')
  await page.getByRole('heading', { level: 1, name: 'Sites' }).waitFor()
  await page.keyboard.press('Control+k')
  await search.waitFor()
  expect(await page.getByText('This site').count()).toBe(0)
  expect(problems).toEqual([])
})
