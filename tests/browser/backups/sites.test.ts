// tier: gate
import { beforeAll, expect, test } from 'bun:test'
import { callerOf } from '#tests/support/browser/backups.ts'
import { completed, foundSite, useFleet } from '#tests/support/browser/fleet.ts'
import { FLAWLESS, inspect } from '#tests/support/browser/inspect.ts'
import { settled } from '#tests/support/browser/settled.ts'
import { backupAgent, checkedTarget, confirmKit } from '#tests/support/dashboard/backups.ts'

const { agent } = backupAgent({ now: () => at() })
const { dashboard, open } = useFleet({ agent })
const WEEK_MS = 7 * 24 * 3600_000
let at = () => new Date()

agent.sites = ['late.example', 'never.example', 'off.example', 'shop.example'].map((domain) =>
  foundSite(domain),
)

beforeAll(async () => {
  const caller = callerOf(dashboard.client())
  await confirmKit(caller)
  await checkedTarget(caller, 1)
  const { body } = await caller.call('GET', '/api/fleet/backups')
  const idOf = (domain: string) =>
    body.sites.find((site: { domain: string }) => site.domain === domain).id
  const of = (domain: string) => `/api/servers/1/sites/${idOf(domain)}/backups`
  await (await caller.send('POST', of('shop.example'), {})).text()
  at = () => new Date(Date.now() - 2 * WEEK_MS)
  await (await caller.send('POST', of('late.example'), {})).text()
  await caller.call('PUT', `${of('off.example')}/settings`, { every: 'off', target_id: null })
  at = () => new Date()
})

test('the page lists which sites have backups, and backs up those that are selected', async () => {
  const { page, problems } = await open('/backups')
  const rows = page.getByRole('region', { name: 'Backups of sites' }).locator('tbody tr')
  await rows.first().waitFor()
  const states = async () =>
    (await rows.allTextContents()).map((text) => text.replace(/(web-1|\d+ \w+ ago|now).*/, ''))
  expect(await states()).toEqual(['late.example', 'never.example', 'off.example', 'shop.example'])
  const cells = await rows.last().getByRole('cell').allTextContents()
  expect([cells[2], cells[5], cells[6]]).toEqual([
    expect.stringMatching(/^Backed up/),
    '2 kB',
    'Backup server',
  ])
  await page.getByText('1 site has had no backup for 7 days').waitFor()
  await settled(page)
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)

  await page.getByRole('button', { name: 'Show sites' }).click()
  await page.waitForURL('**/backups?state=late*never')
  await rows.nth(2).waitFor({ state: 'detached' })
  expect(await states()).toEqual(['late.example', 'never.example'])
  await page.getByLabel('Select all sites on this page').click()
  await page.getByText('2 selected').waitFor()
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)
  await page.getByRole('button', { name: 'Back up', exact: true }).click()
  await page.getByRole('button', { name: 'Back up: 2 sites' }).click()

  await page.waitForURL('**/operations/bulk/*')
  await page.getByText('2 done', { exact: true }).waitFor()
  await page.goBack()
  await page.getByText('No site matches the filters.').waitFor()
  expect(problems).toEqual([])
})

test('a filter in the address that does not exist is shown as a mistake', async () => {
  const { page } = await open('/backups?state=old')
  await page.getByText('Nothing is listed because the address has an invalid filter').waitFor()
})

test('the backups of a site stay on the page when the site is deleted permanently', async () => {
  const client = dashboard.client()
  const { body } = await client.get('/api/fleet/backups?q=shop')
  const [{ id }] = Object(body).sites
  const path = `/api/servers/1/sites/${id}`
  await completed(dashboard, await client.send({ method: 'DELETE', path }))
  await completed(dashboard, await client.post(`${path}/purge`, { domain: 'shop.example' }))

  const { page, problems } = await open('/backups')

  const gone = page.getByRole('region', { name: 'Backups of deleted sites' }).locator('tbody tr')
  await gone.waitFor()
  expect(await gone.getByRole('cell').allTextContents()).toEqual([
    ...['shop.example', 'Backup server', '1', expect.any(String), '2 kB', 'Refresh list…Restore…'],
  ])
  await settled(page)
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)
})
