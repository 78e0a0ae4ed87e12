// tier: gate
import { beforeAll, expect, test } from 'bun:test'
import { addFilter } from '#tests/support/browser/filters.ts'
import { completed, foundSite, useFleet } from '#tests/support/browser/fleet.ts'

const { agent, dashboard, open } = useFleet()
const NAMES = ['full', 'large', 'small', 'window'].map((name) => `${name}.example`)
/** The bytes that sites use of their limit of 10 GB; all other sites use 1 GB. */
const BYTES: Record<string, number> = { 'full.example': 11e9, 'large.example': 9.5e9 }

agent.sites = NAMES.map((name) => foundSite(name))

beforeAll(async () => {
  agent.usage = agent.usage.map((usage) => ({
    ...{ ...usage, files: 1, database_bytes: 0, measured_at: new Date().toISOString() },
    bytes: BYTES[usage.domain] ?? 1e9,
  }))
  await dashboard.client().post('/api/servers/1/sync')
  agent.works.set('site.domains', async function* (params) {
    yield 'Applying the virtual host'
    return params
  })
  const aliases = { aliases: ['shop.example.net'] }
  await completed(
    dashboard,
    await dashboard.client().put('/api/servers/1/sites/4/domains', aliases),
  )
})

test.each([
  ['disk=over', '1 of 4 sites'],
  ['disk=over,near', '2 of 4 sites'],
  ['errors=true', '0 of 4 sites'],
  ['errors=false&disk=near', '1 of 4 sites'],
  ['wp_version=6.8', '4 of 4 sites'],
  ['q=shop.example.net', '1 of 4 sites'],
])('a hand-written address with %s works', async (query, words) => {
  const { page, problems } = await open(`/sites?${query}`)

  await page.getByText(words, { exact: true }).waitFor()
  expect(problems).toEqual([])
})

test('sites are found by their disk, their errors and their aliases', async () => {
  const { page, problems } = await open('/sites')
  await page.getByText('4 sites', { exact: true }).waitFor()

  await addFilter(page, 'Disk', 'near the limit')
  await page.waitForURL('**/sites?disk=near')
  await page.getByText('1 of 4 sites').waitFor()
  await page.getByRole('link', { name: 'large.example' }).waitFor()
  await addFilter(page, 'Errors', 'with errors 5xx')
  await page.waitForURL('**/sites?disk=near&errors=true')
  await page.getByText('0 of 4 sites').waitFor()

  for (const name of ['Disk', 'Errors'])
    await page.getByRole('button', { name: `Remove filter ${name}` }).click()
  await page.getByRole('searchbox', { name: 'Search sites' }).fill('example.net')
  await page.waitForURL('**/sites?q=example.net')
  await page.getByText('1 of 4 sites').waitFor()
  await page.getByRole('link', { name: 'window.example' }).waitFor()
  expect(problems).toEqual([])
})
