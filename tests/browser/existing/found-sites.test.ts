// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { addFilter } from '#tests/support/browser/filters.ts'
import { addServer, foundSite } from '#tests/support/browser/fleet.ts'
import { useBrowser } from '#tests/support/browser/pages.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { useDashboard } from '#tests/support/running.ts'

const dashboard = useDashboard()
const open = useBrowser(dashboard)
const agent = new FakeAgent()
const other = new FakeAgent()

const unnamed = (name: string) => {
  const { domain: _, ...site } = foundSite('plain.example', { docroot: '/var/www/html' })
  const unknown = { docroot: 'proxied', php: 'elsewhere' }
  return { ...site, ...{ names: [name], closed: false, unknown, php: '' } }
}

beforeAll(async () => {
  const foreign = ['plain.example', 'moving.example', 'hidden.example']
  agent.sites = foreign.map((domain) => foundSite(domain, { tls: 'none' }))
  const [plain] = agent.sites
  if (plain) Object.assign(plain, { php: '', closed: true, unknown: { php: 'no_pool' } })
  const broken = {
    state: 'down',
    code: 'http_error',
    reason: 'Its front page answers 500',
  } as const
  agent.health = [{ domain: 'plain.example', ...broken, checks: [{ check: 'http', ...broken }] }]
  agent.web = {
    programs: [
      { program: 'nginx', ports: [443], understood: true, reason: null },
      { program: 'haproxy', ports: [80], understood: false, reason: 'program_not_understood' },
    ],
    unnamed: [unnamed('_'), { ...unnamed('*.preview.example'), docroot: '', user: '' }],
  }
  agent.conditions = [
    { code: 'port_http_taken', message: 'haproxy listens on port 80. Its sites keep working' },
  ]
  agent.answers.set('/sites/db-password', () => Response.json({ password: 'db-secret-1' }))
  agent.works.set('wp.scan', async function* () {
    yield 'Reading'
    const updates = { plugins: 1, themes: 0, core: false }
    const plugin = { slug: 'seo', name: 'SEO pack', version: '1.0', active: true, update: '1.1' }
    return { wp_version: '6.8.1', plugins: [plugin], themes: [], core_update: null, updates }
  })
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

test('the page of a discovered site shows only possible actions and known values', async () => {
  const { page, problems } = await open('/sites?q=plain')
  const row = page.getByRole('row').filter({ hasText: 'plain.example' })
  await row.getByText('not managed').waitFor()
  await page.getByRole('link', { name: 'plain.example' }).click()

  await page.getByRole('heading', { name: 'Not managed by Hosting Control' }).waitFor()
  expect(await page.getByText('640 MB').count()).toBe(0)
  await page
    .getByText('unknown: no PHP-FPM of this server listens at the address that the web server uses')
    .waitFor()
  await page.getByText('closed to visitors').waitFor()
  const alert = page.getByRole('alert').filter({ hasText: 'Its front page answers 500' })
  await alert.getByText('Look at its log on its server.').waitFor({ timeout: 60_000 })
  expect(await alert.getByRole('button').count()).toBe(0)

  const cards = await page.getByRole('heading', { level: 2 }).allTextContents()
  expect(cards.sort()).toEqual(['Details', 'Health', 'Not managed by Hosting Control'])
  const tabs = page.getByRole('tab')
  expect(await tabs.allTextContents()).toEqual(['Overview', 'WordPress', 'Database', 'Activity'])
  expect(await page.getByRole('button', { name: /^More actions of/ }).count()).toBe(0)
  await tabs.getByText('WordPress').click()
  await page.getByRole('button', { name: 'Scan now' }).click()
  await page.getByText('SEO pack').waitFor()
  await tabs.getByText('Database').click()
  await page.getByRole('button', { name: 'Show database password' }).click()
  const secret = page.getByRole('status', { name: 'the database password' })
  expect(await secret.textContent()).toBe('db-secret-1')
  expect(problems).toEqual([])
})

test('an ignored site leaves the list, appears under its filter, and can be shown again', async () => {
  const { page, problems } = await open('/sites?managed=false')
  await page.getByText('3 of 5 sites').waitFor()
  await page.getByRole('link', { name: 'hidden.example' }).click()
  await page.getByRole('button', { name: 'Ignore site' }).click()
  await page.getByText('ignored', { exact: true }).waitFor()

  await page.goBack()
  await page.getByText('2 of 4 sites').waitFor()
  await addFilter(page, 'Ignored', 'ignored')
  await page.getByText('1 site').waitFor()
  await page.getByRole('link', { name: 'hidden.example' }).click()
  await page.getByRole('button', { name: 'Show site again' }).click()
  await page.getByRole('button', { name: 'Ignore site' }).waitFor()

  await page.goBack()
  await page.getByText('0 sites').waitFor()
  expect(problems).toEqual([])
})

test('a bulk operation lists skipped sites before and after', async () => {
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

test('a name on two servers is reported on both sites, in the list and on the overview', async () => {
  const { page, problems } = await open('/sites?q=moving')
  const marks = page.getByText(/also on web-[12]/)
  await marks.first().waitFor()
  expect(await marks.count()).toBe(2)
  await page.getByRole('link', { name: 'moving.example' }).first().click()
  const notice = page.getByRole('status').filter({ hasText: 'Other servers have a site' })
  await notice.getByRole('link').click()
  await notice.waitFor()

  await page.goto('/')
  await page.getByText('1 discovered site with a name that another server also has').waitFor()
  expect(problems).toEqual([])
})

test('the page of a server shows its web servers, and its sites without a domain', async () => {
  const { page, problems } = await open('/servers/1')
  const card = page.getByRole('region', { name: 'Web servers' })
  await page.getByRole('heading', { name: 'Web servers' }).waitFor()
  await page.getByText('haproxy', { exact: true }).waitFor()
  await page.getByText('sites not found').waitFor()
  await page.getByText('2 sites without a domain').waitFor()
  await page.getByText('any other name (catch-all)').waitFor()
  await page.getByText('folder unknown: a program behind a proxy serves the site').waitFor()
  await page.getByText('haproxy listens on port 80').waitFor()
  expect(await card.count()).toBeLessThanOrEqual(1)
  expect(problems).toEqual([])
})

const PLAN = {
  steps: [
    {
      ...{ name: 'services', title: 'Starting cron' },
      effects: [
        {
          action: 'create' as const,
          ...{ kind: 'service', name: 'cron.service', asks: 'service_started' },
        },
      ],
      notes: ['Visitors reach port 80 of the site by IPv4 only.'],
    },
  ],
}

test('a change of PHP that affects others requires confirmation, for one site and for many', async () => {
  const accepted: unknown[] = []
  agent.works.set('site.update', async function* ({ domain, php, accept }) {
    accepted.push(accept)
    yield 'Moving'
    return { domain, php, tier: 'small' }
  })
  agent.services = ['php8.2', 'php8.4'].map((name) => ({ name, status: 'running' as const }))
  await dashboard.client().post('/api/servers/1/sync')
  agent.plan = PLAN
  const { page, problems } = await open('/sites?q=made.example')
  await page.getByRole('link', { name: 'made.example' }).click()
  await page.getByRole('tab', { name: 'PHP' }).click()
  await page.getByRole('button', { name: 'Change PHP', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('PHP version').selectOption('8.4')
  await dialog.getByText('Visitors reach port 80 of the site by IPv4 only.').waitFor()
  const act = dialog.getByRole('button', { name: 'Change PHP' })
  expect(await act.isDisabled()).toBe(true)
  await dialog.getByLabel('Allow these changes').check()
  await act.click()
  await page.getByText('success', { exact: true }).first().waitFor()

  await page.goto(new URL('/sites?q=made.example', page.url()).href)
  await page.getByRole('checkbox', { name: 'Select made.example' }).check()
  await page.getByRole('button', { name: 'Change PHP' }).click()
  await dialog.getByLabel('PHP version').selectOption('8.2')
  await dialog.getByText('made.example: service cron.service').waitFor()
  const many = dialog.getByRole('button', { name: 'Change PHP: 1 site' })
  expect(await many.isDisabled()).toBe(true)
  await dialog.getByLabel('Allow these changes').check()
  await many.click()
  await page.getByText('1 done').first().waitFor()

  expect(accepted).toEqual([['service_started'], ['service_started']])
  expect(problems).toEqual([])
})

test('a restore that affects others asks first', async () => {
  const accepted: unknown[] = []
  const restore = agent.works.get('site.restore')
  agent.works.set('site.restore', (params) => {
    accepted.push(params.accept)
    if (!restore) throw new Error('The agent knows no trash')
    return restore(params)
  })
  agent.plan = { steps: [] }
  const { client } = dashboard
  const { body } = await client().get('/api/fleet/sites?q=made.example')
  const [{ id, server_id }] = Object(body).sites
  const path = `/api/servers/${server_id}/sites/${id}`
  const { headers } = await client().send({ method: 'DELETE', path })
  await client().get(`/api/operations/${headers.get('operation-id')}/events`)
  agent.plan = PLAN

  const { page, problems } = await open('/trash')
  await page.getByRole('button', { name: 'Restore made.example' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Plan: 1 step, 1 change').waitFor()
  await dialog.getByLabel('Allow these changes').check()
  await dialog.getByRole('button', { name: 'Restore site' }).click()
  await page.waitForURL('**/sites/*?operation=*')
  const operation = new URL(page.url()).searchParams.get('operation')
  await client().get(`/api/operations/${operation}/events`)

  expect(accepted).toEqual([['service_started']])
  expect(problems).toEqual([])
})

test('a deletion that had nothing to delete ends with a warning', async () => {
  agent.plan = { steps: [] }
  const gone = () => Response.json({ error: 'Not found', message: 'No such site' }, { status: 404 })
  const { page, problems } = await open('/sites?q=made.example')
  await page.getByRole('link', { name: 'made.example' }).click()
  await page.getByRole('button', { name: /^More actions of/ }).click()
  await page.getByRole('menuitem', { name: 'Delete site' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Nothing has to be done on the server for this.').waitFor()
  agent.trash = []
  agent.answers.set('/exec', gone)
  await dialog.getByLabel('Type made.example to confirm').fill('made.example')
  await dialog.getByRole('button', { name: 'Remove site' }).click()

  await page.getByText('nothing was deleted there').waitFor()
  await page.getByText('Done, with warnings').waitFor()
  agent.answers.delete('/exec')
  expect(problems).toEqual([])
})
