// tier: gate
import { beforeAll, expect, test } from 'bun:test'
import { NewPrimary, namesAfter } from '#shared/domains/primary-domain.ts'
import { addSite, foundSite, useFleet } from '#tests/support/browser/fleet.ts'
import { Refused } from '#tests/support/fake-operation.ts'

const { agent, dashboard, open } = useFleet()
const given: object[] = []
/** Ends the preview. */
let counted = Promise.resolve()

agent.answers.set('/sites/names', () =>
  Response.json({ self_signed: false, expires_at: '', names: [] }),
)
agent.works.set('site.domains', async function* (params) {
  yield 'Applying the virtual host'
  return params
})
agent.works.set('site.rename-preview', async function* ({ domain, primary }) {
  yield 'Counting'
  await counted
  if (primary === 'network.example')
    throw new Refused({ error: 'Conflict', message: 'This WordPress is a network of sites' })
  const columns = [{ name: 'option_value', values: 4, replaced: 9, serialized: 5 }]
  return {
    ...{ status: 'ok', domain, primary, rows: 40, files: ['wp-config.php'] },
    ...{ tables: [{ name: 'wp_options', rows: 40, columns }], replaced: 9, left: [] },
  }
})
agent.works.set('site.rename', async function* (params) {
  given.push(params)
  yield 'Stopping PHP'
  const { primary, former } = NewPrimary.parse(params)
  const domain = String(params.domain)
  agent.sites = [foundSite(primary)]
  const addresses = { replaced: 9, left: [] }
  const names = namesAfter({ domain }, { primary, former })
  return { status: 'ok', domain: primary, former: domain, addresses, ...names }
})
agent.plan = { steps: [{ name: 'database', title: 'Replacing tables', effects: [] }] }

beforeAll(async () => {
  await addSite(dashboard, '/api/servers/1/sites', {
    ...{ domain: 'shop.example', php: '8.4', tls: 'none' },
  })
  const names = { aliases: ['alias.example', '*.shop.example'] }
  const { text } = await dashboard.client().put('/api/servers/1/sites/1/domains', names)
  expect(text).toContain('event: complete')
})

test('an alias becomes the primary domain, after what would change is shown', async () => {
  const { page, problems } = await open('/sites/1?tab=domains')
  await page.getByText('Alias: every name below shows the site').waitFor()
  expect(await page.getByRole('button', { name: 'Make primary: *.shop.example' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Make primary: alias.example' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('What happens to shop.example').selectOption('none')
  expect(await dialog.getByRole('button', { name: 'Change primary domain' }).count()).toBe(0)

  await dialog.getByRole('button', { name: 'Preview change' }).click()
  await dialog.getByText('9 addresses would change in 1 table and in wp-config.php').waitFor()
  await dialog.getByText('wp_options.option_value').waitFor()
  await dialog.getByText('Plan: 1 step').waitFor()
  expect(given).toEqual([])
  await dialog.getByRole('button', { name: 'Change primary domain' }).click()

  await page.getByRole('heading', { name: 'alias.example' }).waitFor()
  expect(given).toEqual([{ domain: 'shop.example', primary: 'alias.example', former: 'none' }])
  expect(problems).toEqual([])
})

test('a preview that takes its time is started once', async () => {
  const go = Promise.withResolvers<void>()
  counted = go.promise
  const { page, problems } = await open('/sites/1?tab=domains&primary=true')
  const started: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/domains/primary/preview')) started.push(request.method())
  })
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('New primary domain').fill('fresh.example')
  await dialog.getByRole('button', { name: 'Preview change' }).click()
  await dialog.getByText('Reading the database').waitFor()
  // Its start is news of the site, whose data is requested again.
  await page.waitForResponse((response) => response.url().endsWith('/api/fleet/sites/1'))
  go.resolve()

  await dialog.getByText('9 addresses would change').waitFor()
  await page.waitForResponse((response) => response.url().endsWith('/api/fleet/sites/1'))
  await dialog.getByText('9 addresses would change').waitFor()
  expect(started).toEqual(['POST'])
  expect(problems).toEqual([])
})

test('what cannot be changed says why, and offers no change', async () => {
  const { page } = await open('/sites/1')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: /^Search/ }).pressSequentially('primary domain')
  await page.getByRole('option', { name: 'Change primary domain' }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/sites/1?tab=domains&primary=true')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('New primary domain').fill('network.example')
  await dialog.getByRole('button', { name: 'Preview change' }).click()

  await dialog.getByText('This WordPress is a network of sites').waitFor()
  expect(await dialog.getByRole('button', { name: 'Change primary domain' }).isEnabled()).toBe(
    false,
  )
})
