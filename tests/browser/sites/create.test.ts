// tier: core
import { beforeAll, expect, test } from 'bun:test'
import { addServer, foundSite, useFleet } from '#tests/support/browser/fleet.ts'
import { FakeAgent, USUAL } from '#tests/support/fake-agent.ts'

const { agent, dashboard, open } = useFleet()

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
beforeAll(async () => {
  await dashboard.client().post('/api/servers', { name: 'new', hostname: 'new.example' })
})

test('a site is planned, created and watched by keyboard alone, across a reload', async () => {
  const go = Promise.withResolvers<void>()
  agent.works.set('site.create', async function* ({ domain }) {
    yield { begins: 'Creating the system user' }
    await go.promise
    agent.sites.push(foundSite(String(domain), { tls: 'letsencrypt' }))
    return { domain }
  })
  agent.answers.set('/sites/admin-password', () =>
    Response.json({ user: 'admin', password: 'admin-secret-1' }),
  )
  const { page, problems } = await open('/sites/new')
  const { keyboard } = page
  await page.getByRole('radio', { name: /^web-1/ }).waitFor()
  expect(await page.getByRole('radio', { name: /^new: its agent has not/ }).isDisabled()).toBe(true)

  await keyboard.type('bücher.example')
  await page.getByText('bücher.example, in DNS xn--bcher-kva.example').waitFor()
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

  await page.getByText('bücher.example is ready').waitFor()
  const ready = page.getByRole('region', { name: 'Operation' })
  const links = await page.getByRole('main').getByRole('link', { name: 'in a new tab' }).all()
  expect(await Promise.all(links.map((link) => link.getAttribute('href')))).toEqual([
    'https://xn--bcher-kva.example/',
  ])
  await ready.getByRole('button', { name: 'Reset admin password' }).press('Enter')
  await page.getByRole('button', { name: 'Reset password' }).press('Enter')
  await ready.getByText('admin-secret-1').waitFor()
  expect(problems).toEqual([])
})

test('the form keeps its values across other pages until the site is created', async () => {
  agent.works.set('site.create', USUAL['site.create'])
  const { page, problems } = await open('/sites/new?server_id=1')
  const domain = page.getByRole('textbox', { name: 'Domain' })
  await domain.fill('kept.example')
  await page.getByRole('radio', { name: 'medium' }).check()

  await page.getByRole('link', { name: 'Activity' }).click()
  await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor()
  await page.goBack()

  await page.getByRole('radio', { name: 'medium', checked: true }).waitFor()
  expect(await domain.inputValue()).toBe('kept.example')
  await domain.press('Enter')
  await page.getByRole('button', { name: 'Create site' }).click()
  await page.getByText('kept.example is ready').waitFor()
  await page.keyboard.press('c')
  await page.getByRole('heading', { level: 1, name: 'Create a site' }).waitFor()
  expect(await domain.inputValue()).toBe('')
  expect(problems).toEqual([])
})

test('a site that changes others names the changes and requires confirmation', async () => {
  const plain = agent.plan
  const name = 'wild.example, which /etc/nginx/sites-enabled/old serves as *.example'
  const effect = { action: 'change', kind: 'name', name, asks: 'name_taken_over' } as const
  agent.plan = { steps: [{ name: 'vhost', title: 'Adding the virtual host', effects: [effect] }] }
  const accepted: unknown[] = []
  agent.works.set('site.create', async function* ({ domain, accept }) {
    accepted.push(accept)
    agent.sites.push(foundSite(String(domain)))
    yield 'Adding the virtual host'
    return { domain }
  })
  const { page, problems } = await open('/sites/new?server_id=1')
  await page.getByRole('radio', { name: /^web-1/, checked: true }).waitFor()
  await page.getByRole('textbox', { name: 'Domain' }).fill('wild.example')
  await page.keyboard.press('Enter')
  const create = page.getByRole('button', { name: 'Create site' })
  await page.getByText('Another site currently serves this name').waitFor()
  expect(await create.isDisabled()).toBe(true)

  await page.getByRole('checkbox', { name: 'Allow these changes' }).check()
  await create.click()

  await page.getByText('wild.example is ready').waitFor()
  expect(accepted).toEqual([['name_taken_over']])
  expect(problems).toEqual([])
  agent.plan = plain
})

test('the page of a server names what prevents new sites', async () => {
  const message = 'apache2 listens on port 80. Its sites keep working'
  agent.conditions = [{ code: 'port_http_taken', message }]
  const { page, problems } = await open('/servers/1')

  await page.getByText('This prevents new sites').waitFor()
  await page.getByText(message).waitFor()

  expect(problems).toEqual([])
  agent.conditions = []
})

test('an invalid or taken domain is reported at its field', async () => {
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

test('a site for an offline server waits for it', async () => {
  agent.works.set('site.create', USUAL['site.create'])
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

test('a taken name is refused while typing, and a name on another server is reported', async () => {
  const other = new FakeAgent()
  try {
    other.sites = [foundSite('elsewhere.example')]
    await addServer(dashboard, other, 'web-2')
    const { page, problems } = await open('/sites/new?server_id=1')
    const domain = page.getByRole('textbox', { name: 'Domain' })

    await domain.fill('www.taken.example')
    await page.getByText('The domain is already taken by a site on web-1').waitFor()
    await domain.fill('elsewhere.example')
    await page.getByText('A site with this name was found on web-2.').waitFor()
    await page.getByRole('button', { name: 'Review plan' }).click()

    await page.getByText('Other servers have a site with this name').waitFor()
    expect(problems).toEqual([])
  } finally {
    await other.stop()
  }
})
