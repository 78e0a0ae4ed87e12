import { afterAll, beforeAll, expect, test } from 'bun:test'
import { addServer, foundSite, makesSites } from '#tests/support/browser/fleet.ts'
import { useBrowser } from '#tests/support/browser/pages.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { useDashboard } from '#tests/support/running.ts'

const dashboard = useDashboard()
const open = useBrowser(dashboard)
const agent = new FakeAgent()
const other = new FakeAgent()

beforeAll(async () => {
  const foreign = ['plain.example', 'moving.example', 'hidden.example']
  agent.sites = foreign.map((domain) => foundSite(domain, { tls: 'none' }))
  const [plain] = agent.sites
  if (plain) Object.assign(plain, { php: '', closed: true, unknown: { php: 'no_pool' } })
  agent.answers.set('/sites/db-password', () => Response.json({ password: 'db-secret-1' }))
  agent.works.set('wp.scan', async function* () {
    yield 'Reading'
    const updates = { plugins: 1, themes: 0, core: false }
    const plugin = { slug: 'seo', name: 'SEO pack', version: '1.0', active: true, update: '1.1' }
    return { wp_version: '6.8.1', plugins: [plugin], themes: [], core_update: null, updates }
  })
  makesSites(agent)
  agent.works.set('pool.apply', async function* ({ tier }) {
    yield 'Applying'
    return { tier }
  })
  await addServer(dashboard, agent, 'web-1', { foreign })
  await addServer(dashboard, other, 'web-2')
  const { client } = dashboard
  for (const [server, domain] of [
    [1, 'made.example'],
    [2, 'moving.example'],
  ]) {
    const call = { domain, php: '8.2', tls: 'none' }
    const { headers } = await client().post(`/api/servers/${server}/sites`, call)
    await client().get(`/api/operations/${headers.get('operation-id')}/events`)
  }
})
afterAll(() => Promise.all([agent.stop(), other.stop()]))

test('the page of a found site has what can be done with it, and nothing that is not known', async () => {
  const { page, problems } = await open('/sites?q=plain')
  const row = page.getByRole('row').filter({ hasText: 'plain.example' })
  await row.getByText('not managed').waitFor()
  await page.getByRole('link', { name: 'plain.example' }).click()

  await page.getByRole('heading', { name: 'Not managed by Hosting Control' }).waitFor()
  const cards = await page.getByRole('heading', { level: 2 }).allTextContents()
  expect(cards.sort()).toEqual([
    'Activity',
    'Facts',
    'Not managed by Hosting Control',
    'Operations',
    'WordPress',
  ])
  expect(await page.getByText('640 MB').count()).toBe(0)
  await page.getByText('unknown: no PHP-FPM of this server is at its address').waitFor()
  await page.getByText('closed to visitors').waitFor()

  await page.getByRole('button', { name: 'Scan now' }).click()
  await page.getByText('SEO pack').waitFor()
  await page.getByRole('button', { name: 'Show the database password' }).click()
  const secret = page.getByRole('status', { name: 'the database password' })
  expect(await secret.textContent()).toBe('db-secret-1')
  expect(problems).toEqual([])
})

test('an ignored site leaves the list, is found under its filter, and comes back', async () => {
  const { page, problems } = await open('/sites?managed=false')
  await page.getByText('3 sites match').waitFor()
  await page.getByRole('link', { name: 'hidden.example' }).click()
  await page.getByRole('button', { name: 'Ignore site' }).click()
  await page.getByText('ignored', { exact: true }).waitFor()

  await page.goBack()
  await page.getByText('2 sites match').waitFor()
  await page.getByLabel('Managed', { exact: true }).selectOption('Ignored')
  await page.getByText('1 site matches').waitFor()
  await page.getByRole('link', { name: 'hidden.example' }).click()
  await page.getByRole('button', { name: 'Show site again' }).click()
  await page.getByRole('button', { name: 'Ignore site' }).waitFor()

  await page.goBack()
  await page.getByText('0 sites match').waitFor()
  expect(problems).toEqual([])
})

test('a bulk operation says which sites it leaves out, before and after', async () => {
  const { page, problems } = await open('/sites?server_id=1')
  for (const domain of ['made.example', 'plain.example'])
    await page.getByRole('checkbox', { name: `Select ${domain}` }).check()
  await page.getByRole('button', { name: 'Change tier' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Tier').selectOption('large')
  await dialog.getByText('1 site is skipped').waitFor()
  await dialog.getByText('Which sites (1 on 1 server)').waitFor()

  await dialog.getByRole('button', { name: 'Change tier: 1 site' }).click()

  await page.getByText('1 done · 1 skipped').waitFor()
  await page.getByText('plain.example was found, not created by Hosting Control').waitFor()
  expect(problems).toEqual([])
})

test('a name that two servers have is told on both sites, in the list and on the overview', async () => {
  const { page, problems } = await open('/sites?q=moving')
  const marks = page.getByText(/also on web-[12]/)
  await marks.first().waitFor()
  expect(await marks.count()).toBe(2)
  await page.getByRole('link', { name: 'moving.example' }).first().click()
  const notice = page.getByRole('status').filter({ hasText: 'Other servers have a site' })
  await notice.getByRole('link').click()
  await notice.waitFor()

  await page.goto('/')
  await page.getByText('1 found site with a name that another server has, too').waitFor()
  expect(problems).toEqual([])
})
