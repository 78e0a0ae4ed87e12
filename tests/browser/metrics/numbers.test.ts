// tier: gate
import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { NUMBERS, type Numbers } from '#shared/metrics/site-numbers.ts'
import { useFleet } from '#tests/support/browser/fleet.ts'

const { dashboard, open } = useFleet()
const PATH = '/api/servers/1/sites/1/numbers'

beforeAll(async () => {
  const call = { domain: 'shop.example', php: '8.2', tls: 'none' }
  const { headers } = await dashboard.client().post('/api/servers/1/sites', call)
  await dashboard.client().get(`/api/operations/${headers.get('operation-id')}/events`)
})

const values = (given: Partial<Numbers>) => NUMBERS.map((name) => given[name] ?? 0)

/** The answer of the dashboard, without waiting a minute for the next poll of the agent. */
async function answers(page: Page, columns: object): Promise<void> {
  await page.route(`**${PATH}?**`, async (route) => {
    const response = await route.fetch()
    const { numbers } = await response.json()
    await route.fulfill({ response, json: { numbers: { ...numbers, ...columns } } })
  })
}

test('a site without a request says so', async () => {
  const { page, problems } = await open('/sites/1?tab=metrics')

  await page.getByText('There were no requests in this period.').waitFor()
  await page.getByRole('button', { name: '30 d' }).click()
  await page.getByText('No day is known yet.').waitFor()
  expect(problems).toEqual([])
})

test('charts show the requests, the share of the page cache and the time of PHP', async () => {
  const { page, problems } = await open('/')
  const at = Array.from(
    { length: 10 },
    (_, place) => Math.floor(Date.now() / 60_000) * 60 - 600 + place * 60,
  )
  const rows = at.map(() => values({ requests: 40, cache_hits: 10, php_requests: 4, php_ms: 800 }))
  const columns = Object.fromEntries(
    NUMBERS.map((name, place) => [name, rows.map((row) => row[place])]),
  )
  const sizes = Object.fromEntries(
    ['files', 'database', 'cache', 'mail'].map((name) => [name, at.map(() => null)]),
  )
  await answers(page, { at, ...columns, ...sizes })
  await page.goto(`${new URL(page.url()).origin}/sites/1?tab=metrics`)

  const chart = (title: string) => page.getByRole('img', { name: new RegExp(`^${title}`) })
  await chart('Requests each minute. requests: 40 now, at most 40').waitFor()
  await chart('From the page cache. share: 25').waitFor()
  await chart('PHP response time. average: 200 ms now').waitFor()
  expect(problems).toEqual([])
})

test('another tier is recommended with its reasons, and one button opens its dialog', async () => {
  const { page, problems } = await open('/')
  const reasons = [{ code: 'workers', count: 84, days: 5 }]
  await answers(page, { recommendation: { tier: 'medium', reasons } })
  await page.goto(`${new URL(page.url()).origin}/sites/1`)

  await page.getByText('The tier medium fits this site better than small').waitFor()
  await page.getByText('All workers of PHP were busy 84 times on 5 days').waitFor()
  await page.getByRole('button', { name: 'Change to medium' }).click()
  const dialog = page.getByRole('dialog', { name: 'Change the tier of shop.example' })
  expect(await dialog.getByRole('combobox', { name: 'Tier' }).inputValue()).toBe('medium')
  expect(await dialog.getByRole('button', { name: 'Change tier' }).isEnabled()).toBe(true)
  expect(problems).toEqual([])
})
