import { afterAll, beforeAll, expect, test } from 'bun:test'
import { addServer, foundSite, makesSites } from '#tests/support/browser/fleet.ts'
import { useBrowser } from '#tests/support/browser/pages.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { useDashboard } from '#tests/support/running.ts'

const dashboard = useDashboard()
const open = useBrowser(dashboard)
const agent = new FakeAgent()

beforeAll(async () => {
  agent.sites = [foundSite('taken.example')]
  agent.plan = {
    steps: [
      {
        name: 'user',
        title: 'Creating the system user',
        effects: [{ action: 'create', kind: 'user', name: 'buecher' }],
      },
    ],
  }
  await addServer(dashboard, agent, 'web-1')
  await dashboard.client().post('/api/servers', { name: 'new', hostname: 'new.example' })
})
afterAll(() => agent.stop())

test('a site is planned, made and followed by the keyboard alone, over a reload', async () => {
  const go = Promise.withResolvers<void>()
  agent.works.set('site.create', async function* ({ domain }) {
    yield 'Creating the system user'
    await go.promise
    agent.sites.push(foundSite(String(domain)))
    return { domain }
  })
  agent.answers.set('/sites/admin-password', () =>
    Response.json({ user: 'admin', password: 'admin-secret-1' }),
  )
  const { page, problems } = await open('/sites/new')
  const { keyboard } = page
  await page.getByRole('radio', { name: /^web-1/ }).waitFor()
  expect(await page.getByRole('radio', { name: /^new: its agent is not/ }).isDisabled()).toBe(true)

  await keyboard.type('bücher.example')
  await page.getByText('bücher.example, on the wire xn--bcher-kva.example').waitFor()
  await keyboard.press('Tab')
  await keyboard.press('Space')
  await keyboard.press('Enter')
  await page.getByRole('list', { name: 'Steps of the plan' }).getByText('buecher').waitFor()
  await keyboard.press('Tab')
  await keyboard.press('Enter')
  await page.waitForURL('**/sites/*?operation=*')
  await page.locator('li[aria-current=step]').getByText('Creating the system user').waitFor()
  await page.reload()
  await page.locator('li[aria-current=step]').getByText('Creating the system user').waitFor()
  go.resolve()

  await page.getByText('xn--bcher-kva.example is ready').waitFor()
  const ready = page.getByRole('region', { name: 'What is being done' })
  const links = await ready.getByRole('link', { name: 'in a new tab' }).all()
  expect(await Promise.all(links.map((link) => link.getAttribute('href')))).toEqual([
    'https://xn--bcher-kva.example/',
    'https://xn--bcher-kva.example/wp-admin/',
  ])
  await ready.getByRole('button', { name: 'New admin password' }).press('Enter')
  await page.getByRole('button', { name: 'Set and show it' }).press('Enter')
  await ready.getByText('admin-secret-1').waitFor()
  expect(problems).toEqual([])
})

test('what is no domain, and what is taken, is said at the field', async () => {
  const { page, problems } = await open('/sites/new?server_id=1')
  const domain = page.getByRole('textbox', { name: 'Domain' })
  await page.getByRole('radio', { name: /^web-1/, checked: true }).waitFor()

  await domain.fill('no domain')
  await domain.press('Enter')
  await page.getByText('Must be a domain name such as example.com').waitFor()
  await domain.fill('www.taken.example')
  await domain.press('Enter')

  await page.getByText('The domain is already taken').waitFor()
  expect(await domain.getAttribute('aria-invalid')).toBe('true')
  expect(await domain.evaluate((field) => field === document.activeElement)).toBe(true)
  expect(problems).toEqual([])
})

test('a site for a server that is away waits for it', async () => {
  makesSites(agent)
  await agent.stop()
  const { page } = await open('/sites/new?server_id=1')
  await page.getByRole('radio', { name: /^web-1/, checked: true }).waitFor()
  await page.getByRole('textbox', { name: 'Domain' }).fill('waits.example')
  await page.keyboard.press('Enter')
  await page.getByText('The server cannot be reached now').waitFor()

  await page.getByRole('button', { name: 'Create site without a plan' }).click()
  await page.waitForURL('**/sites/*?operation=*')
  agent.listen()

  await page.getByText('waits.example is ready').waitFor({ timeout: 90_000 })
})
