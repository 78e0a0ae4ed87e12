// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { foundSite } from '#tests/support/browser/fleet.ts'
import { useBrowser } from '#tests/support/browser/pages.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { type Running, startAgent, temporaryFolder } from '#tests/support/processes.ts'
import { useDashboard } from '#tests/support/running.ts'
import { enrolAgent } from '#tests/support/trust/enrol-agent.ts'

const dashboard = useDashboard()
const open = useBrowser(dashboard)
/** A program is started and asked, and both sides look once a second or two. */
const WAIT_MS = 90_000

let agent: Running
const fake = new FakeAgent()
let state = ''
beforeAll(async () => {
  state = await temporaryFolder('enrolled')
  agent = await startAgent('the executable', { AGENT_AUTH: 'signed', AGENT_STATE_DIR: state })
}, 60_000)
afterAll(async () => {
  fake.stop()
  await agent?.kill()
})

test('explains how to add the first server', async () => {
  const { page, problems } = await open('/')
  await page.getByRole('heading', { name: 'Get started' }).waitFor()
  const steps = page.getByRole('main').getByRole('listitem')
  expect(await steps.getByText(/^(Add|Connect|Create)/).allTextContents()).toEqual([
    'Add a server',
    'Add a server',
    'Connect its agent',
    'Create your first site',
  ])

  await page.getByRole('main').getByRole('link', { name: 'Add a server' }).click()

  await page.waitForURL('**/servers/new')
  expect(problems).toEqual([])
})

test('shows that everything works while there is no problem', async () => {
  const client = dashboard.client()
  await client.post('/api/servers', { hostname: '127.0.0.1', port: fake.port })
  await client.post('/api/servers/1/sync')
  const { page, problems } = await open('/')
  const next = page.locator('li[aria-current=step]')
  await next.getByRole('link', { name: 'Create site' }).waitFor()

  fake.sites = [foundSite('first.example')]
  await client.post('/api/servers/1/sync')
  await page.getByRole('heading', { name: 'All is well' }).waitFor()
  expect(problems).toEqual([])
})

test('a new server is enrolled with the install command, and its page shows it online automatically', async () => {
  const { page, problems } = await open('/servers/new')

  await page.getByLabel('Hostname').fill('not a hostname')
  await page.getByText('Must be a DNS name or an IP address').waitFor()
  await page.getByLabel('Hostname').fill('127.0.0.1')
  await page.getByLabel('Name', { exact: true }).fill('web-1')
  await page.getByLabel('Port of the agent').fill(String(agent.port))
  await page.getByLabel('Tags').fill('eu, production')
  await page.getByRole('button', { name: 'Add server' }).click()

  await page.getByRole('heading', { level: 1, name: 'web-1' }).waitFor()
  await page.getByText('The agent runs and waits for its code').waitFor({ timeout: WAIT_MS })
  const [line = '', code = ''] = await page.locator('code.select-all').allTextContents()
  const address = page.url()
  const output = await enrolAgent({ code, lines: [{ machine: '', line }] }, state)
  expect(output.trim()).toBe('enrolled: the dashboard and this agent trust each other')

  await page.getByText('web-1 is online').waitFor({ timeout: WAIT_MS })
  await page.getByText('online', { exact: true }).waitFor()
  expect(await page.getByRole('heading', { name: 'Install the agent' }).count()).toBe(0)
  expect(page.url()).toBe(address)
  expect(problems).toEqual([])
}, 120_000)

test('a reload while a server waits says that its code was shown once', async () => {
  const { page, problems } = await open('/servers/new')
  await page.getByLabel('Hostname').fill('127.0.0.2')
  await page.getByLabel('Port of the agent').fill('9')
  await page.getByRole('button', { name: 'Add server' }).click()
  const code = page.locator('code.select-all').last()
  await code.waitFor()
  const first = await code.textContent()

  await page.reload()
  await page.getByText('A code was created and shown only once').waitFor()
  await page.getByText('refused the connection').waitFor({ timeout: WAIT_MS })
  await page.getByRole('button', { name: 'Create a new code' }).click()

  await code.waitFor()
  expect(await code.textContent()).not.toBe(first)
  expect(problems).toEqual([])
}, 120_000)
