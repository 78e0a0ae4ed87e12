// tier: gate
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { ATTACKS } from '#agent/features/isolation/attacks/index.ts'
import { addFilter } from '#tests/support/browser/filters.ts'
import { useBrowser } from '#tests/support/browser/pages.ts'
import { useDemo } from '#tests/support/demo.ts'

const demo = useDemo()
const open = useBrowser(demo)

const table = (page: Page) => page.getByRole('region', { name: 'Servers' })
const names = (page: Page) => table(page).getByRole('row').getByRole('link').allTextContents()

test('search, filters and order are in the address and survive a reload', async () => {
  const { page, problems } = await open('/servers')
  await table(page).waitFor()

  await page.getByLabel('Search servers').fill('web-01')
  await addFilter(page, 'Tag', 'eu')
  await page.getByRole('button', { name: /^online/i }).click()
  await page.getByRole('button', { name: 'Disk' }).click()
  await page.waitForURL('**/servers?q=web-01&status=online&tag=eu&sort=disk&order=desc')

  const wanted = ['ams-web-01', 'fra-web-01', 'hel-web-01']
  expect(await names(page)).toEqual(wanted)
  await page.reload()
  await table(page).waitFor()
  expect(await names(page)).toEqual(wanted)
  expect(await page.getByLabel('Search servers').inputValue()).toBe('web-01')
  expect(problems).toEqual([])
})

test('a bulk operation runs on several servers', async () => {
  const { page, problems } = await open('/servers')
  await page.getByLabel('Select ams-web-01').check()
  await page.getByLabel('Select fra-web-01').check()

  await page.getByRole('button', { name: 'Sync', exact: true }).click()
  await page.getByRole('dialog', { name: 'Sync on 2 servers' }).waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Sync', exact: true }).click()

  await page.waitForURL('**/operations/bulk/*')
  const id = page.url().split('/').at(-1)
  const { body } = await demo.client().get(`/api/bulk-operations/${id}`)
  expect(body).toMatchObject({ bulk_operation: { type: 'server.sync', counts: { total: 2 } } })
  expect(problems).toEqual([])
})

/** In how many of twenty strips, from left to right, the filled line of a chart is drawn. */
function drawnStrips(page: Page, title: string): Promise<boolean[]> {
  return page.evaluate((title) => {
    const figures = [...document.querySelectorAll('figure')]
    const figure = figures.find(({ textContent }) => textContent.startsWith(title))
    const canvas = figure?.querySelector('canvas')
    const over = figure?.querySelector('.u-over')
    const context = canvas?.getContext('2d')
    if (!canvas || !over || !context) return []
    const { left, top, width, height } = over.getBoundingClientRect()
    const place = canvas.getBoundingClientRect()
    const scale = canvas.width / place.width
    return Array.from({ length: 20 }, (_, at) => {
      const x = Math.round((left - place.left + (width * (at + 0.5)) / 20) * scale)
      const bottom = Math.round((top - place.top + height - 3) * scale)
      const { data } = context.getImageData(x, bottom, 1, 1)
      return (data[3] ?? 0) > 0
    })
  }, title)
}

async function charts(page: Page): Promise<void> {
  await page.locator('figure canvas').nth(3).waitFor()
}

test('the metrics of a server are drawn for the range in the address', async () => {
  const { page, problems } = await open('/servers/1')
  await charts(page)

  expect(await drawnStrips(page, 'CPU')).toEqual(Array(20).fill(true))
  await page.getByRole('button', { name: '7 d' }).click()
  await page.waitForURL('**/servers/1?range=7d')
  await page.reload()
  await charts(page)
  expect(await page.getByRole('button', { name: '7 d' }).getAttribute('aria-pressed')).toBe('true')
  expect(await drawnStrips(page, 'Memory')).toEqual(Array(20).fill(true))
  expect(problems).toEqual([])
})

test('charts have a gap while a server was offline, and the page says why', async () => {
  const { page, problems } = await open('/servers/5?range=6h')
  await charts(page)

  const strips = await drawnStrips(page, 'CPU')
  // It has been offline for three of the six hours.
  expect([strips.slice(0, 8), strips.slice(-8)]).toEqual([
    Array(8).fill(true),
    Array(8).fill(false),
  ])
  await page.getByText('fra-web-02 is offline').waitFor()
  expect(problems).toEqual([])
})

test('the time under the pointer in one chart is shown in all of them', async () => {
  const { page } = await open('/servers/1')
  await charts(page)

  await page.locator('figure .u-over').first().hover()

  await page.locator('figure time').nth(3).waitFor()
  const times = await page.locator('figure time').allTextContents()
  expect(new Set(times).size).toBe(1)
})

test('a service is restarted after confirmation, and the operation is listed', async () => {
  const { page, problems } = await open('/servers/1')
  await page.getByRole('button', { name: 'Restart nginx' }).click()

  await page.getByRole('button', { name: 'Restart service' }).click()

  await page.getByText('nginx was restarted').waitFor()
  const { body } = await demo.client().get('/api/operations?server_id=1&limit=1')
  expect(body).toMatchObject({ operations: [{ type: 'service.restart', status: 'success' }] })
  expect(problems).toEqual([])
})

test('a button checks the isolation of sites, and each attack has its outcome', async () => {
  const { page, problems } = await open('/servers/1')
  await page.getByRole('heading', { name: 'Isolation' }).waitFor()
  await page.getByText('No attack succeeded.').waitFor()
  await page
    .getByRole('button', { name: `${Object.keys(ATTACKS).length} attacks refused: show each` })
    .click()
  await page.getByText('Read the wp-config.php of other sites').waitFor()

  await page.getByRole('button', { name: 'Check isolation' }).click()

  await page.getByRole('link', { name: 'A check is running' }).waitFor()
  await page.getByText('A check is running').waitFor({ state: 'detached', timeout: 60_000 })
  const { body } = await demo.client().get('/api/operations?server_id=1&type=isolation.check')
  expect(body).toMatchObject({ operations: [{ type: 'isolation.check', status: 'success' }] })
  expect(problems).toEqual([])
})

test('security updates are shown, planned and installed with a button', async () => {
  const server_id = await withUpdates()
  const { page, problems } = await open(`/servers/${server_id}`)
  await page.getByText(/^[24] security updates pending$/).waitFor()

  await page.getByRole('button', { name: 'Install updates' }).click()
  await page.getByRole('button', { name: 'Review plan' }).click()
  await page.getByText(/^Installing security updates of \d packages$/).waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Install updates' }).click()

  await page.getByText(/^\d packages were updated$/).waitFor({ timeout: 60_000 })
  const query = `server_id=${server_id}&type=server.update`
  const { body } = await demo.client().get(`/api/operations?${query}`)
  expect(body).toMatchObject({ operations: [{ type: 'server.update', status: 'success' }] })
  expect(problems).toEqual([])
})

/** A server that the overview lists for its updates, which is so after the first sync. */
async function withUpdates(): Promise<number> {
  for (;;) {
    const { body } = await demo.client().get('/api/fleet')
    const { attention } = body as { attention: { kind: string; items: { server_id: number }[] }[] }
    const [item] = attention.find(({ kind }) => kind === 'security_updates')?.items ?? []
    if (item) return item.server_id
    await Bun.sleep(200)
  }
}

test('a successful attack is shown with its evidence', async () => {
  const { body } = await demo.client().get('/api/fleet')
  const { attention } = body as { attention: { kind: string; items: { server_id: number }[] }[] }
  const [item] = attention.find(({ kind }) => kind === 'isolation')?.items ?? []
  const { page, problems } = await open(`/servers/${item?.server_id}`)

  await page.getByText('1 attack of one site on another succeeded.').waitFor()
  await page.getByText('See processes of others in /proc').waitFor()
  await page.getByText('saw 22 processes of others').waitFor()
  expect(problems).toEqual([])
})

test('provisioning shows its plan before it starts', async () => {
  const { page, problems } = await open('/servers/1')
  await page.getByRole('button', { name: 'More actions of fra-web-01' }).click()
  await page.getByRole('menuitem', { name: 'Provision…' }).click()

  await page.getByLabel('PHP versions').fill('8.5')
  await page.getByRole('button', { name: 'Review plan' }).click()
  const plan = page.getByRole('dialog')
  await plan.locator('details details', { hasText: 'php8.5-fpm' }).locator('summary').click()
  await plan.getByText('php8.5-fpm', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Provision server' }).click()

  await page.waitForURL('**/operations/*')
  await page.getByRole('heading', { level: 1, name: 'Provision fra-web-01' }).waitFor()
  expect(problems).toEqual([])
})

test('lists problems, most severe first, and links to them', async () => {
  const { page, problems } = await open('/')
  await page.getByRole('heading', { level: 2, name: 'Critical' }).waitFor()

  const heads = await page.getByRole('heading', { level: 2 }).allTextContents()
  expect(heads.slice(0, 3)).toEqual(['Critical', 'Warnings', 'Suggestions'])
  const critical = page.getByRole('region', { name: 'Critical' })
  expect(await critical.getByRole('heading', { level: 3 }).allTextContents()).toEqual([
    '2 servers are offline',
    '2 sites are down',
    '1 disk is nearly full',
    '1 server whose sites may reach each other',
    '1 site has failed',
    '2 sites are near or over their disk limit',
    '1 site not found on its server',
  ])
  await critical.getByRole('link', { name: 'fra-web-02', exact: true }).click()
  await page.waitForURL('**/servers/5')
  await page.goBack()
  const outdated = page.getByRole('link', { name: /^Show \d+ sites on PHP 7\.4$/ })
  const [count] = /\d+(?= sites)/.exec((await outdated.textContent()) ?? '') ?? []
  await outdated.click()
  await page.waitForURL(/\/sites\?php=.*7\.4/)
  await page.getByText(new RegExp(`^${count} of \\d+ sites$`)).waitFor()
  expect(problems).toEqual([])
})

test('retries a failed operation on the overview', async () => {
  const { page, problems } = await open('/')
  await page
    .getByRole('button', { name: /^Retry for/ })
    .first()
    .click()

  await page.getByRole('link', { name: 'Show progress' }).first().click()

  await page.waitForURL('**/operations/*')
  const id = page.url().split('/').at(-1)
  const { body } = await demo.client().get(`/api/operations/${id}`)
  expect(body).toMatchObject({ operation: { retry_of: expect.any(String) } })
  expect(problems).toEqual([])
})

test('a server is removed from the dashboard once its name is typed', async () => {
  const { page, problems } = await open('/servers/12')
  await page.getByRole('button', { name: 'More actions of nyc-web-03' }).click()
  await page.getByRole('menuitem', { name: 'Remove from the dashboard…' }).click()
  const remove = page.getByRole('button', { name: 'Remove server' })
  await remove.waitFor()

  expect(await remove.isDisabled()).toBe(true)
  await page.getByLabel('Type nyc-web-03 to confirm').fill('nyc-web-03')
  await remove.click()

  await page.waitForURL('**/servers')
  await table(page).waitFor()
  expect(await names(page)).not.toContain('nyc-web-03')
  expect((await demo.client().get('/api/fleet/servers/12')).status).toBe(404)
  expect(problems).toEqual([])
})
