// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { useBrowser } from '#tests/support/browser/pages.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { Refused } from '#tests/support/fake-operation.ts'
import { useDashboard } from '#tests/support/running.ts'

const dashboard = useDashboard()
const open = useBrowser(dashboard)
const agent = new FakeAgent()
const provisions: unknown[] = []
/** The version that the agent cannot install. */
const REFUSED = '8.2'

beforeAll(async () => {
  agent.php = [
    { version: '8.3', extensions: ['sodium'] },
    { version: '8.4', extensions: ['curl', 'gd', 'mysqli'] },
  ]
  const post = (path: string, body: object) => dashboard.client().post(path, body)
  agent.services = [{ name: 'php8.4', status: 'running' }]
  agent.works.set('server.provision', async function* ({ php_versions, php_source }) {
    yield 'Installing PHP'
    if (String(php_versions) === REFUSED)
      throw new Refused({ error: 'Internal error', message: 'The disk is full' })
    provisions.push([php_versions, php_source])
    // A sync follows, after which the dashboard shows what the agent reports.
    agent.services = ['php8.3', 'php8.4'].map((name) => ({ name, status: 'running' }))
    return { php_versions: ['8.3', '8.4'] }
  })
  await post('/api/servers', { name: 'web-1', hostname: '127.0.0.1', port: agent.port })
  await post('/api/servers/1/sync', {})
  for (const domain of ['shop.example', 'blog.example'])
    await post('/api/servers/1/sites', { domain, php: '8.4', tls: 'none' })
})
afterAll(() => agent.stop())

/** The dialog that changes the PHP version of both sites, and its notice. */
async function openDialog(page: Page, php: string) {
  await page.getByRole('checkbox', { name: 'Select shop.example' }).check()
  await page.getByRole('checkbox', { name: 'Select blog.example' }).check()
  await page.getByRole('button', { name: 'Change PHP' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('PHP version').selectOption(php)
  const missing = dialog.getByText(`PHP ${php} is not installed on 1 server with 2 of the sites`)
  await missing.waitFor()
  return { dialog, missing }
}

test('a site shows the extensions of its own PHP version', async () => {
  const { page, problems } = await open('/sites/1?tab=php')
  const fact = (name: string) =>
    page.locator('dl', { hasText: 'Version' }).locator(`dt:text-is("${name}") + dd`)
  await fact('Extensions').waitFor()

  expect(await fact('Version').textContent()).toStartWith('8.4')
  expect(await fact('Extensions').textContent()).toBe('curl, gd, mysqli')
  expect(problems).toEqual([])
})

test('many sites: a version that their server lacks is installed there first', async () => {
  const { page, problems } = await open('/sites')
  const { dialog, missing } = await openDialog(page, '8.3')
  await dialog.getByText('web-1', { exact: true }).waitFor()
  await dialog.getByLabel('Add the PHP repository').check()

  await dialog.getByRole('button', { name: 'Install PHP 8.3 there first' }).click()

  await missing.waitFor({ state: 'detached' })
  await dialog.getByText('is being installed').waitFor({ state: 'detached' })
  expect(provisions).toEqual([[['8.3'], true]])
  expect(await dialog.getByRole('button', { name: 'Change PHP: 2 sites' }).isEnabled()).toBe(true)
  expect(problems).toEqual([])
})

test('many sites: a failed installation is shown, with a link to its reason', async () => {
  const { page, problems } = await open('/sites')
  const { dialog, missing } = await openDialog(page, REFUSED)
  const install = dialog.getByRole('button', { name: `Install PHP ${REFUSED} there first` })

  await install.click()

  await dialog.getByText('The installation failed.').waitFor()
  expect([await missing.isVisible(), await install.isEnabled()]).toEqual([true, true])
  await dialog.getByRole('link', { name: 'Show the operation' }).click()
  await page.waitForURL('**/operations/bulk/*')
  await page.getByText('The disk is full').first().waitFor()
  expect(problems).toEqual([])
})

const SOURCE = 'Adding the PHP repository https://packages.sury.org/php'

test('the repository is part of the plan of a server only where it is chosen', async () => {
  const effects = [{ action: 'run' as const, kind: 'program', name: 'apt-get update' }]
  agent.plan = { steps: [{ name: 'php source', title: SOURCE, effects }] }
  const { page, problems } = await open('/servers/1')
  await page.getByRole('button', { name: 'More actions of web-1' }).click()
  await page.getByRole('menuitem', { name: 'Provision…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('PHP versions').fill('8.1')
  await dialog.getByLabel('Add the PHP repository').check()

  await dialog.getByRole('button', { name: 'Review plan' }).click()
  await dialog.getByText(SOURCE).waitFor()
  await dialog.getByRole('button', { name: 'Provision server' }).click()

  await page.waitForURL('**/operations/*')
  await page.getByText('success', { exact: true }).first().waitFor()
  expect(provisions.at(-1)).toEqual([['8.1'], true])
  expect(problems).toEqual([])
})
