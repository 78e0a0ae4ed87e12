// tier: gate
import { beforeAll, expect, test } from 'bun:test'
import { foundSite, reportSites, useFleet } from '#tests/support/browser/fleet.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'

const agent = new FakeAgent()
agent.sites = ['shop.example', 'blog.example', 'press.example'].map((name) => foundSite(name))
const { dashboard, open } = useFleet({ agent })
const REASON =
  'The server reports another system user for this site: expected shop, reported victim'

beforeAll(async () => {
  await dashboard.client().post('/api/servers/1/sites', { domain: 'own.example', php: '8.2' })
  reportSites(agent, [
    foundSite('shop.example', { user: 'victim', docroot: '', db_name: '' }),
    foundSite('blog.example'),
    foundSite('press.example', { names: ['press.example', 'own.example'] }),
  ])
  await dashboard.client().post('/api/servers/1/sync')
})

test('a site that its server reports as another one is on the overview, its page and that of the server', async () => {
  const { body } = await dashboard.client().get('/api/fleet/sites?q=shop.example')
  const { id } = Object(body).sites[0]

  for (const path of ['/', `/sites/${id}`, '/servers/1']) {
    const { page, problems } = await open(path)
    await page.getByText(REASON).first().waitFor()
    expect(problems).toEqual([])
  }
})

test('a site with a name of another one is there, too', async () => {
  const { body } = await dashboard.client().get('/api/fleet/sites?q=press.example')
  const { id } = Object(body).sites[0]

  for (const path of ['/', `/sites/${id}`, '/servers/1']) {
    const { page, problems } = await open(path)
    await page.getByText('The server reports the name own.example for this site').first().waitFor()
    expect(problems).toEqual([])
  }
})

test('another site of the server has no such notice', async () => {
  const { body } = await dashboard.client().get('/api/fleet/sites?q=blog.example')
  const { id } = Object(body).sites[0]

  const { page } = await open(`/sites/${id}`)
  await page.getByRole('heading', { name: 'blog.example' }).waitFor()

  expect(await page.getByText(/is reported (as another site|with the address)/).count()).toBe(0)
})
