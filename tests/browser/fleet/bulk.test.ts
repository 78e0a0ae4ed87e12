// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Locator } from 'playwright-core'
import { siteCreate } from '#shared/sites/site.create.ts'
import { useBrowser } from '#tests/support/browser/pages.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { Refused } from '#tests/support/fake-operation.ts'
import { useDashboard } from '#tests/support/running.ts'

const SITES = 6

const dashboard = useDashboard()
const open = useBrowser(dashboard)
const agent = new FakeAgent()
let isBroken = true

beforeAll(async () => {
  const post = (path: string, body: object) => dashboard.client().post(path, body)
  agent.works.set('site.create', async function* (params) {
    yield 'Recording the site'
    const { domain, user, php } = siteCreate.params.parse(params)
    const known = { domain, user, php, tier: 'small', tls: 'none' } as const
    const found = { docroot: '/srv', framework: 'php', wp_version: '', db_name: '' } as const
    agent.sites.push({ ...known, ...found, updates: { plugins: null, themes: null, core: null } })
    return { domain }
  })
  agent.works.set('cache.purge', async function* ({ domain }) {
    yield `Emptying the page cache of ${domain}`
    if (isBroken) throw new Refused({ error: 'Internal error', message: 'The disk is full' })
    return { domain }
  })
  await post('/api/servers', { name: 'web-1', hostname: '127.0.0.1', port: agent.port })
  for (let at = 1; at <= SITES; at++)
    await post('/api/servers/1/sites', { domain: `${at}.example`, php: '8.2', tls: 'none' })
})
afterAll(() => agent.stop())

test('a bulk operation pauses after failures, continues on request, and retries failed items', async () => {
  const call = { type: 'cache.purge', targets: { server_ids: [1] }, parallel: 1 }
  await until(async () => {
    const { body } = await dashboard.client().get('/api/operations?active=true')
    return (body as { operations: unknown[] }).operations.length === 0
  })
  await dashboard.client().post('/api/bulk-operations', call)
  const { page, problems } = await open('/operations')

  await page.getByRole('link', { name: `Clear cache of ${SITES} sites` }).click()
  await page.getByText('Paused after failures in a row').waitFor()
  await page.getByText('3 failures in a row', { exact: false }).waitFor()
  await page.getByRole('link', { name: 'Overview' }).click()
  await page.getByText('1 paused bulk operation').waitFor()
  await page.getByRole('link', { name: `Clear cache of ${SITES} sites`, exact: true }).click()
  isBroken = false
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByText('3 done · 3 failed').waitFor()
  const items = page.getByRole('region', { name: 'Items' }).getByRole('listitem')
  await items.filter({ hasText: 'success' }).nth(2).waitFor()
  expect(await items.filter({ hasText: 'The disk is full' }).count()).toBe(3)

  await page.getByLabel('Any result').selectOption('failed')
  await page.waitForURL('**?status=failed')
  await items.filter({ hasText: 'success' }).first().waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Retry 3 unsuccessful operations' }).click()

  await page.getByRole('heading', { level: 1, name: 'Clear cache of 3 sites' }).waitFor()
  await page.getByText('3 done', { exact: true }).waitFor()
  expect(problems).toEqual([])
})

test('one cron job is added to many sites, and the dialog names those that refuse it', async () => {
  const given: Record<string, unknown>[] = []
  agent.works.set('site.jobs', async function* (params) {
    given.push(params)
    yield `Applying the cron jobs of ${params.domain}`
    return { domain: params.domain, jobs: [params.add] }
  })
  const { page, problems } = await open('/sites')
  await page.getByLabel('Select 1.example').check()
  await page.getByLabel('Select 2.example').check()
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Add cron job' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add cron job: 2 sites' })
  const start = dialog.getByRole('button', { name: 'Add cron job: 2 sites' })
  expect(await start.isDisabled()).toBe(true)
  await dialog.getByLabel('Name').fill('purge')
  const message = '1.example has another job purge: "true" (@daily)'
  agent.answers.set('/exec', () => Response.json({ error: 'Conflict', message }, { status: 409 }))
  await dialog.getByLabel('Command').fill('wp cache flush')
  await dialog.getByText(`1.example: ${message}`).waitFor()
  agent.answers.delete('/exec')
  await start.click()

  await page.getByRole('heading', { level: 1, name: 'Change cron jobs of 2 sites' }).waitFor()
  await page.getByText('2 done', { exact: true }).waitFor()
  const add = { name: 'purge', schedule: '0 3 * * *', command: 'wp cache flush' }
  const job = { ...add, max_minutes: 60, enabled: true }
  expect(given.map((params) => params.add)).toEqual([job, job])
  expect(problems.filter((text) => !text.includes('409'))).toEqual([])
})

test('the PHP settings and the page cache of many sites are changed from a menu', async () => {
  const given: Record<string, unknown>[] = []
  agent.works.set('site.configure', async function* ({ domain, ...params }) {
    given.push(params)
    yield `Configuring ${domain}`
    return { domain }
  })
  const { page, problems } = await open('/sites')
  const begin = async (name: string) => {
    await page.getByLabel('Select 1.example').check()
    await page.getByRole('button', { name: 'Settings', exact: true }).click()
    await page.getByRole('menuitem', { name, exact: true }).click()
    return page.getByRole('dialog', { name: `${name}: 1 site` })
  }
  const finish = async (dialog: Locator, name: string) => {
    await dialog.getByRole('button', { name: `${name}: 1 site` }).click()
    await page.getByRole('heading', { level: 1, name: 'Change settings of 1 site' }).waitFor()
    await page.goBack()
  }

  const php = await begin('PHP settings')
  await php.getByLabel('Memory of a request').fill('5')
  await php.getByText('memory_limit must be a whole number between 64 and 4096').waitFor()
  expect(await php.getByRole('button', { name: 'PHP settings: 1 site' }).isDisabled()).toBe(true)
  await php.getByLabel('Memory of a request').fill('256')
  await php.getByLabel('Other settings of php.ini').fill('max_file_uploads = 50')
  await finish(php, 'PHP settings')
  const cache = await begin('Page cache')
  await cache.getByLabel('Paths to leave out').fill('/members')
  await finish(cache, 'Page cache')

  await until(async () => given.length === 2)
  expect(given).toEqual([
    { php_settings: { memory_limit: 256, values: { max_file_uploads: '50' } } },
    { page_cache: { enabled: true, paths: ['/members'], cookies: [] } },
  ])
  expect(problems).toEqual([])
})

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await Bun.sleep(50)
}
