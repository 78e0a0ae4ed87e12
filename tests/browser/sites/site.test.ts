// tier: gate
import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { foundSite, reportChange, useFleet } from '#tests/support/browser/fleet.ts'
import { USUAL } from '#tests/support/fake-agent.ts'
import { Refused } from '#tests/support/fake-operation.ts'

const { agent, dashboard, open } = useFleet()

beforeAll(async () => {
  agent.answers.set('/sites/db-password', () => Response.json({ password: 'db-secret-1' }))
})

/** A site that the dashboard has made; its address in the browser. */
async function made(domain: string): Promise<string> {
  const call = { domain, php: '8.2', tls: 'none' }
  const { headers, body } = await dashboard.client().post('/api/servers/1/sites', call)
  await dashboard.client().get(`/api/operations/${headers.get('operation-id')}/events`)
  return `/sites/${Object(Object(body).site).id}`
}

const heading = (page: Page, name: string) => page.getByRole('heading', { name })

test('the database password is shown on request, and removed when its page is left', async () => {
  const { page, problems } = await open(`${await made('secret.example')}?tab=database`)
  await page.getByRole('button', { name: 'Show database password' }).click()
  const secret = page.getByRole('status', { name: 'the database password' })
  expect(await secret.textContent()).toBe('db-secret-1')

  await page.getByRole('link', { name: 'Servers' }).click()
  await heading(page, 'Servers').waitFor()
  await page.goBack()

  await page.getByRole('button', { name: 'Show database password' }).waitFor()
  expect(await page.content()).not.toContain('db-secret-1')
  expect(problems).toEqual([])
})

test('the last runs of the scheduled jobs are shown, with what they printed', async () => {
  const run = { started_at: new Date().toISOString(), seconds: 2.44, exit_status: 0, output: '' }
  const failed = { ...run, result: 'failed', exit_status: 3, output: 'no <b>room</b>' }
  const runs = [{ ...failed, started_at: new Date(Date.now() - 300_000).toISOString() }]
  agent.answers.set('/sites/job-runs', () => Response.json({ runs }))
  const { page, problems } = await open(`${await made('jobs.example')}?tab=jobs`)
  const list = page.getByRole('list', { name: 'Runs of WordPress events' })
  await list.getByText('exit status 3').waitFor()

  await list.getByText('Show output').click()
  await list.getByText('no <b>room</b>').waitFor()
  runs.unshift({ ...run, result: 'success' })
  await page.getByRole('button', { name: 'Refresh runs' }).click()

  await list.getByText('success').waitFor()
  expect(await list.getByRole('listitem').count()).toBe(2)
  agent.answers.delete('/sites/job-runs')
  expect(problems).toEqual([])
})

test('the database account of a site gets further rights, and loses them again', async () => {
  const asked: unknown[] = []
  agent.works.set('site.update', async function* (params) {
    asked.push(params)
    yield 'Applying the rights and limits of the database account'
    const { database_routines } = Object(params)
    return { domain: 'rights.example', php: '8.2', tier: 'small', database_routines }
  })
  const { page, problems } = await open(`${await made('rights.example')}?tab=database`)
  const allow = { name: 'Allow views and routines' }
  const restrict = { name: 'Allow tables only' }

  for (const button of [allow, restrict]) {
    await page.getByRole('button', button).click()
    await page.getByRole('dialog').getByRole('button', button).click()
    await page.getByRole('button', button === allow ? restrict : allow).waitFor()
  }

  const domain = 'rights.example'
  expect(asked).toEqual([
    { domain, database_routines: true },
    { domain, database_routines: false },
  ])
  expect(problems).toEqual([])
})

test('its disk use is shown beside the limit, and as unknown before a measurement', async () => {
  const measured_at = new Date(Date.now() - 3 * 3_600_000).toISOString()
  const limits = { limit_bytes: 10e9, limit_files: 250_000 }
  const use = { bytes: 8e9, files: 20_000, database_bytes: 5e8, ...limits, measured_at }
  const path = await made('large.example')
  await dashboard.client().post('/api/servers/1/sync')
  const unknown = await open(path)
  await unknown.page.getByText('unknown: not measured').waitFor()

  agent.usage = [{ domain: 'large.example', ...use }]
  await dashboard.client().post('/api/servers/1/sync')
  const { page, problems } = await open(path)
  const fact = page.locator('dd').filter({ hasText: 'Measured' })
  await fact.waitFor()

  expect(await fact.textContent()).toMatch(
    /^8\.5 GB of 10 GBnear its limitFiles 8 GB, database 500 MB20,000 of 250,000 files and foldersMeasured 3 .+ ago$/,
  )
  expect([...problems, ...unknown.problems]).toEqual([])
})

test('a scan shows version, plugins and themes of WordPress', async () => {
  const updates = { plugins: 1, themes: 0, core: true }
  const shop = { slug: 'shop', name: 'Shop', version: '1.0', active: true, update: '1.1' }
  agent.works.set('wp.scan', async function* () {
    yield 'Reading plugins'
    reportChange(agent, 'scanned.example', { updates })
    return { wp_version: '6.8.1', plugins: [shop], themes: [], core_update: '6.8.2', updates }
  })
  agent.sites.push(foundSite('scanned.example'))
  await dashboard.client().post('/api/servers/1/sync')
  const { page, problems } = await open('/sites?q=scanned')
  await page.getByRole('link', { name: 'scanned.example' }).click()
  await page.getByRole('tab', { name: 'WordPress' }).click()
  await page.getByText('not scanned yet').waitFor()

  await page.getByRole('button', { name: 'Scan now' }).click()

  await page.getByText('6.8.2 is available').waitFor()
  await page.getByText('WordPress core, 1 plugin').waitFor()
  const row = page.getByRole('row', { name: 'Shop' })
  expect(await row.getByRole('cell').allTextContents()).toEqual(['Shop', '1.0', '1.1', 'yes'])
  expect(problems).toEqual([])
})

test('a site that could not be created says why, and is retried', async () => {
  agent.works.set('site.create', async function* () {
    yield { begins: 'Copying WordPress' }
    throw new Refused({ error: 'Internal error', message: 'The disk is full' })
  })
  const call = { domain: 'failed.example', php: '8.2', tls: 'none' }
  const { body } = await dashboard.client().post('/api/servers/1/sites', call)
  const { page, problems } = await open(`/sites/${Object(Object(body).site).id}`)
  const why = page.getByRole('alert').filter({ hasText: 'Changes on the server were undone' })
  await why.getByText('The disk is full').waitFor()
  agent.works.set('site.create', USUAL['site.create'])
  await why.getByRole('button', { name: 'Retry' }).click()

  await page.getByText('failed.example is ready').waitFor()
  expect(problems).toEqual([])
})

test('a cancelled creation is shown as cancelled on its site, its step and the activity', async () => {
  const until = Promise.withResolvers<void>()
  agent.works.set('site.create', async function* ({ domain }) {
    yield { begins: 'Copying WordPress' }
    await until.promise
    return { domain }
  })
  const call = { domain: 'unwanted.example', php: '8.2', tls: 'none' }
  const { body } = await dashboard.client().post('/api/servers/1/sites', call)
  const { page, problems } = await open(`/sites/${Object(Object(body).site).id}`)
  await page.locator('li[aria-current=step]').getByText('Copying WordPress').waitFor()

  await page.getByRole('button', { name: 'Cancel' }).click()

  const alert = page.getByRole('status').filter({ hasText: 'Its creation was cancelled' })
  await alert.getByRole('button', { name: 'Retry' }).waitFor()
  expect(await page.getByText('failed', { exact: true }).count()).toBe(0)
  await page.goto('/activity?domain=unwanted.example&status=cancelled')
  await page.getByRole('cell', { name: 'Create site' }).waitFor()
  until.resolve()
  expect(problems).toEqual([])
})
