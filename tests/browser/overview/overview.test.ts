// tier: gate
import { beforeAll, expect, test } from 'bun:test'
import { addServer, foundSite, useFleet } from '#tests/support/browser/fleet.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'

const OFFLINE = 7
const { agent, dashboard, open } = useFleet()

const updates = { plugins: 1, themes: 0, core: false }
agent.sites = Array.from({ length: 6 }, (_, at) =>
  foundSite(`site-${at}.example`, { tls: 'letsencrypt', ...(at < 4 && { updates }) }),
)
const soon = new Date(Date.now() + 3 * 86_400_000).toISOString()
agent.certificates = agent.sites
  .slice(0, 3)
  .map(({ domain }) => ({ domain: String(domain), expires_at: soon }))

beforeAll(async () => {
  for (let at = 2; at < 2 + OFFLINE; at++) {
    const other = new FakeAgent()
    await addServer(dashboard, other, `gone-${at}`)
    await other.stop()
    for (let times = 0; times < 3; times++) await dashboard.client().post(`/api/servers/${at}/sync`)
  }
})

test('a group shows five incidents, each in one line, and the rest on request', async () => {
  const { page, problems } = await open('/')
  const critical = page.getByRole('region', { name: 'Critical' })
  await critical.getByRole('heading', { name: `${OFFLINE} servers are offline` }).waitFor()
  const lines = critical.getByRole('listitem').filter({ hasText: 'gone-' })
  expect(await lines.count()).toBe(5)
  for (const line of await lines.all())
    expect((await line.boundingBox())?.height).toBeLessThanOrEqual(46)

  await critical.getByRole('button', { name: `View all ${OFFLINE}` }).click()
  expect(await lines.count()).toBe(OFFLINE)
  await critical.getByRole('button', { name: 'Show less' }).click()
  expect(await lines.count()).toBe(5)
  expect(problems).toEqual([])
})

test('certificates that expire soon are renewed with the button of their group', async () => {
  const asked: unknown[] = []
  agent.works.set('tls.issue', async function* ({ domain, tls }) {
    asked.push([domain, tls])
    yield 'Requesting a certificate'
    return { domain, tls, expires_at: '' }
  })
  const { page, problems } = await open('/')
  await page.getByRole('button', { name: 'Renew 3' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Renew certificates' }).click()
  await page.waitForURL('**/operations/bulk/*')
  await page.getByText('3 done').first().waitFor()

  expect(asked.toSorted()).toEqual([0, 1, 2].map((at) => [`site-${at}.example`, 'letsencrypt']))
  expect(problems).toEqual([])
})

test.each([
  ['Servers', 8, '8'],
  ['Sites', 6, '6 sites'],
  ['Sites with updates', 4, '4 of 6 sites'],
])('the tile %s has the number of the list that it opens', async (name, value, list) => {
  const { page, problems } = await open('/')
  await page
    .getByRole('main')
    .getByRole('link', { name: `${name} ${value}` })
    .click()
  await page.getByText(list, { exact: true }).first().waitFor()
  expect(problems).toEqual([])
})
