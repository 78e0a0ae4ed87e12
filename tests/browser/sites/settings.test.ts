// tier: gate
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { SettingsReport } from '#shared/sites/site.configure.ts'
import { useShop } from '#tests/support/browser/fleet.ts'
import { CLEAN, inspect } from '#tests/support/browser/inspect.ts'

const { agent, open } = useShop()
const domain = 'shop.example'
let asked: Record<string, unknown>[] = []
const path = '/sites/1'

const settings: Omit<SettingsReport, 'domain'> = {
  maintenance: null,
  basic_auth: null,
  php_settings: null,
  page_cache: null,
  trusted_cdn: null,
  page_purge: false,
  csp: 'basic',
  hsts: 'on',
  xmlrpc: 'on',
}
agent.works.set('site.configure', async function* ({ domain: _, ...change }) {
  asked.push(change)
  const access = Object(change).basic_auth
  Object.assign(settings, change, access && { basic_auth: { user: access.user } })
  yield 'Applying the virtual host'
  return { domain, ...settings }
})
for (const name of ['site.suspend', 'site.resume'])
  agent.works.set(name, async function* () {
    agent.sites = agent.sites.map(({ suspended: _, ...site }) =>
      name === 'site.suspend' ? { ...site, suspended: true } : site,
    )
    yield 'Applying the virtual host'
    return { domain }
  })
agent.plan = { steps: [{ name: 'vhost', title: 'Applying the virtual host', effects: [] }] }

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

/** Presses the button of the open dialog, when its plan is there. */
async function confirm(page: Page, name: string): Promise<void> {
  await page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

test('the maintenance page is turned on with addresses and a message, and off', async () => {
  asked = []
  const { page, problems } = await open(`${path}?tab=domains`)

  await press(page, 'Turn maintenance page on')
  await page.getByLabel('Message').fill('Back at noon')
  await page.getByLabel('Addresses that see the site').fill('203.0.113.7\n2001:db8::/32')
  expect(await inspect(page)).toEqual(CLEAN)
  await confirm(page, 'Turn maintenance page on')
  await page.getByText('Visitors from 203.0.113.7, 2001:db8::/32 see the site.').waitFor()
  await press(page, 'Turn maintenance page off')
  await confirm(page, 'Turn maintenance page off')
  await page.getByText('The maintenance page is off').waitFor()

  expect(asked).toEqual([
    { maintenance: { allow: ['203.0.113.7', '2001:db8::/32'], message: 'Back at noon' } },
    { maintenance: null },
  ])
  expect(problems).toEqual([])
})

test('a password for visitors is generated, and shown on request', async () => {
  asked = []
  const { page, problems } = await open(`${path}?tab=domains`)

  await press(page, 'Require password')
  await page.getByLabel('User name').fill('client')
  await confirm(page, 'Require password')
  await press(page, 'Show password')
  const shown = page.getByRole('status', { name: 'the password of visitors' })

  expect(await shown.textContent()).toMatch(/^[\w-]{22,}$/)
  expect(asked).toEqual([
    { basic_auth: { user: 'client', password_hash: expect.stringMatching(/^\{SSHA\}/) } },
  ])
  expect(problems).toEqual([])
})

test('PHP settings are bounded, and an error names the setting', async () => {
  asked = []
  const { page } = await open(`${path}?tab=php`)

  await press(page, 'Change PHP settings')
  await page.getByLabel('Memory of a request').fill('999')
  await page.getByText('memory_limit must be at most 256 on the tier small').waitFor()
  await page.getByLabel('Memory of a request').fill('192')
  await page.getByLabel('Other settings of php.ini').fill('max_file_uploads = 50')
  expect(await inspect(page)).toEqual(CLEAN)
  await confirm(page, 'Apply PHP settings')
  await page.getByText('192 MB').waitFor()

  expect(asked).toEqual([
    { php_settings: { memory_limit: 192, values: { max_file_uploads: '50' } } },
  ])
})

test('the page cache leaves out paths, and XML-RPC is only for Jetpack', async () => {
  asked = []
  const { page, problems } = await open(`${path}?tab=php`)

  await press(page, 'Change page cache')
  await page.getByLabel('Paths to leave out').fill('/members')
  await confirm(page, 'Apply page cache')
  await page.getByText('/members').waitFor()
  await page.getByRole('tab', { name: 'WordPress' }).click()
  await press(page, 'Change XML-RPC')
  await page.getByLabel('Who may call xmlrpc.php').selectOption('jetpack')
  await confirm(page, 'Change XML-RPC')
  await page.getByText('Only for Jetpack').waitFor()

  expect(asked).toEqual([
    { page_cache: { enabled: true, paths: ['/members'], cookies: [] } },
    { xmlrpc: 'jetpack' },
  ])
  expect(problems).toEqual([])
})

test('a CDN in front of the site reports the addresses of its visitors', async () => {
  asked = []
  const { page, problems } = await open(`${path}?tab=domains`)

  await press(page, 'Change CDN')
  await page.getByLabel('CDN', { exact: true }).selectOption('Fastly')
  await confirm(page, 'Save CDN')
  await page.getByText('Fastly reports visitor addresses').waitFor()

  expect(asked).toEqual([{ trusted_cdn: 'Fastly' }])
  expect(problems).toEqual([])
})

test('the security headers of a site are changed', async () => {
  asked = []
  const { page, problems } = await open(`${path}?tab=domains`)

  await press(page, 'Change policy')
  await page.getByLabel('Content security policy', { exact: true }).selectOption('report')
  await confirm(page, 'Change policy')
  await page.getByText('with a strict one in the console').waitFor()
  await press(page, 'Change HSTS')
  await page.getByLabel('Only https for a year').selectOption('subdomains')
  await confirm(page, 'Change HSTS')
  await page.getByText('HSTS: On, with subdomains').waitFor()

  expect(asked).toEqual([{ csp: 'report' }, { hsts: 'subdomains' }])
  expect(problems).toEqual([])
})

test('a site is suspended from its menu, and resumed from its notice', async () => {
  const { page, problems } = await open(path)

  await page.getByRole('button', { name: /^More actions of/ }).click()
  await page.getByRole('menuitem', { name: 'Suspend site' }).click()
  await page.getByText('The site is suspended').waitFor()
  await press(page, 'Resume site')
  await page.getByText('The site is suspended').waitFor({ state: 'detached' })

  expect(problems).toEqual([])
})
