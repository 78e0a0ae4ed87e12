import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { addServer, foundSite, keepsTrash, makesSites } from '#tests/support/browser/fleet.ts'
import { useBrowser } from '#tests/support/browser/pages.ts'
import { FakeAgent, Refused } from '#tests/support/fake-agent.ts'
import { useDashboard } from '#tests/support/running.ts'

const dashboard = useDashboard()
const open = useBrowser(dashboard)
const agent = new FakeAgent()

beforeAll(async () => {
  await addServer(dashboard, agent, 'web-1')
  keepsTrash(agent)
  agent.plan = { steps: [{ name: 'trash', title: 'Moving the files to the trash', effects: [] }] }
  agent.answers.set('/sites/db-password', () => Response.json({ password: 'db-secret-1' }))
})
afterAll(() => agent.stop())

/** A site that the dashboard has made; its address in the browser. */
async function made(domain: string): Promise<string> {
  makesSites(agent)
  const call = { domain, php: '8.2', tls: 'none' }
  const { headers, body } = await dashboard.client().post('/api/servers/1/sites', call)
  await dashboard.client().get(`/api/operations/${headers.get('operation-id')}/events`)
  return `/sites/${Object(Object(body).site).id}`
}

const heading = (page: Page, name: string) => page.getByRole('heading', { name })

test('the database password is shown when asked for, and gone when its page is left', async () => {
  const { page, problems } = await open(await made('secret.example'))
  await page.getByRole('button', { name: 'Show the database password' }).click()
  const secret = page.getByRole('status', { name: 'the database password' })
  expect(await secret.textContent()).toBe('db-secret-1')

  await page.getByRole('link', { name: 'Servers' }).click()
  await heading(page, 'Servers').waitFor()
  await page.goBack()

  await page.getByRole('button', { name: 'Show the database password' }).waitFor()
  expect(await page.content()).not.toContain('db-secret-1')
  expect(problems).toEqual([])
})

test('a scan tells what WordPress is made of', async () => {
  const updates = { plugins: 1, themes: 0, core: true }
  const shop = { slug: 'shop', name: 'Shop', version: '1.0', active: true, update: '1.1' }
  agent.works.set('wp.scan', async function* () {
    yield 'Reading plugins'
    return { wp_version: '6.8.1', plugins: [shop], themes: [], core_update: '6.8.2', updates }
  })
  agent.sites.push(foundSite('scanned.example'))
  await dashboard.client().post('/api/servers/1/sync')
  const { page, problems } = await open('/sites?q=scanned')
  await page.getByRole('link', { name: 'scanned.example' }).click()
  await page.getByText('not scanned yet').waitFor()

  await page.getByRole('button', { name: 'Scan now' }).click()

  await page.getByText('6.8.2 is available').waitFor()
  await page.getByText('WordPress itself, 1 plugin').waitFor()
  const row = page.getByRole('row', { name: 'Shop' })
  expect(await row.getByRole('cell').allTextContents()).toEqual(['Shop', '1.0', '1.1', 'yes'])
  expect(problems).toEqual([])
})

test('a site goes to the trash when its domain is typed, and comes back from where it went', async () => {
  const { page, problems } = await open(await made('gone.example'))
  await page.getByRole('button', { name: 'Delete site' }).click()
  await page.getByText('Moving the files to the trash').waitFor()
  const act = page.getByRole('button', { name: 'Move to the trash' })
  expect(await act.isDisabled()).toBe(true)
  await page.getByLabel('Type gone.example to confirm').fill('gone.example')
  await page.keyboard.press('Enter')

  await page.getByText('In the trash since').waitFor()
  await page.getByRole('button', { name: 'Restore' }).click()

  await page.getByText('trashed', { exact: true }).waitFor({ state: 'detached' })
  await page.getByText('active', { exact: true }).waitFor()
  expect(problems).toEqual([])
})

test('a site that could not be made says why, and is tried again', async () => {
  agent.works.set('site.create', async function* () {
    yield 'Copying WordPress'
    throw new Refused({ error: 'Internal error', message: 'The disk is full' })
  })
  const call = { domain: 'failed.example', php: '8.2', tls: 'none' }
  const { body } = await dashboard.client().post('/api/servers/1/sites', call)
  const { page, problems } = await open(`/sites/${Object(Object(body).site).id}`)
  const why = page.getByRole('alert').filter({ hasText: 'What had been begun on the server' })
  await why.getByText('The disk is full').waitFor()

  makesSites(agent)
  await why.getByRole('button', { name: 'Try again' }).click()

  await page.getByText('failed.example is ready').waitFor()
  expect(problems).toEqual([])
})
