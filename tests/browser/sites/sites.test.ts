// tier: core
import { expect, test } from 'bun:test'
import { foundSite, useFleet } from '#tests/support/browser/fleet.ts'

const SITES = 230

const { agent, dashboard, open } = useFleet()
const domain = (number: number) => `site-${String(number).padStart(3, '0')}.example`

agent.sites = Array.from({ length: SITES }, (_, index) =>
  foundSite(domain(index), { tier: index % 10 === 0 ? 'large' : 'small' }),
)

test('sites can be searched and sorted, and the address has both', async () => {
  const { page, problems } = await open('/sites')
  const grid = page.getByRole('grid', { name: 'Sites' })
  await page.getByText('230 sites').waitFor()

  await page.keyboard.press('/')
  await page.keyboard.type('SITE-11')
  await page.getByText('10 of 230 sites').waitFor()
  await page.getByRole('button', { name: 'Domain' }).click()

  await page.waitForURL('**/sites?q=SITE-11&order=desc')
  await grid.getByRole('row').nth(1).getByText('site-119.example').waitFor()
  const heading = page.getByRole('columnheader', { name: 'Domain' })
  expect(await heading.getAttribute('aria-sort')).toBe('descending')
  expect(await grid.getAttribute('aria-rowcount')).toBe('11')
  expect(problems).toEqual([])
})

test('the keyboard moves through all sites, of which few are drawn', async () => {
  const { page, problems } = await open('/sites')
  const grid = page.getByRole('grid', { name: 'Sites' })
  await grid.getByText(domain(0)).waitFor()

  await grid.focus()
  await page.keyboard.press('End')
  const last = grid.getByRole('row', { name: domain(SITES - 1) })
  await last.waitFor()
  expect(await last.getAttribute('aria-rowindex')).toBe(String(SITES + 1))
  expect(await grid.getByRole('row').count()).toBeLessThan(80)
  await page.keyboard.press('Space')
  await page.getByText('1 selected').waitFor()
  await page.keyboard.press('Enter')

  await page.getByRole('heading', { level: 1, name: domain(SITES - 1) }).waitFor()
  expect(problems).toEqual([])
})

test('Back returns to the previous position', async () => {
  const { page, problems } = await open('/sites')
  const grid = page.getByRole('grid', { name: 'Sites' })
  await grid.getByText(domain(0)).waitFor()
  await page.evaluate(() => scrollTo(0, 4_000))
  const site = grid.getByRole('link', { name: domain(90) })

  await site.click()
  await page.getByRole('heading', { level: 1, name: domain(90) }).waitFor()
  await page.waitForFunction(() => scrollY === 0)
  await page.goBack()
  await site.waitFor()
  await page.waitForFunction(() => scrollY === 4_000)
  expect(problems).toEqual([])
})

test('a bulk operation runs on all matching sites', async () => {
  const { page, problems } = await open('/sites?tier=large')
  agent.works.set('wp.scan', async function* () {
    yield 'Reading'
    const updates = { plugins: 0, themes: 0, core: false }
    return { wp_version: '6.8.1', plugins: [], themes: [], core_update: null, updates }
  })
  await page.getByRole('checkbox', { name: 'Select all sites that match' }).click()
  await page.getByText('23 selected').waitFor()

  await page.getByRole('button', { name: 'Scan for updates' }).click()
  await page.getByText('Which sites (23 on 1 server)').waitFor()
  await page.getByRole('button', { name: 'Scan for updates: 23 sites' }).click()

  await page.waitForURL('**/operations/bulk/*')
  const { body } = await dashboard.client().get('/api/bulk-operations')
  const [started] = Object(body).bulk_operations
  expect([started.type, started.counts.total]).toEqual(['site.scan', 23])
  expect(problems).toEqual([])
})

test('deleting many sites requires their number', async () => {
  const { page, problems } = await open('/sites?q=site-00')
  await page.getByRole('checkbox', { name: 'Select all sites that match' }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  const act = page.getByRole('button', { name: 'Move 10 sites to trash' })

  expect(await act.isDisabled()).toBe(true)
  await page.getByLabel('Type delete 10 to confirm').fill('delete 10')
  expect(await act.isEnabled()).toBe(true)
  await page.keyboard.press('Escape')

  await page.getByText('10 selected').waitFor()
  expect(problems).toEqual([])
})
