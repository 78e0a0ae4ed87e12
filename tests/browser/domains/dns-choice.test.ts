// tier: gate
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { useBrowser } from '#tests/support/browser/pages.ts'
import { startCloudflare } from '#tests/support/cloudflare/server.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { useDashboard } from '#tests/support/running.ts'

const dashboard = useDashboard()
const open = useBrowser(dashboard)
const agent = new FakeAgent()
const token = 'a-token-of-forty-characters-a-token-of-f'
const cloudflare = startCloudflare({ token, zones: ['shop.example'] })
const post = (path: string, body: object) => dashboard.client().post(path, body)
const left = () => cloudflare.records.map(({ type, name, content }) => `${type} ${name} ${content}`)

beforeAll(async () => {
  agent.works.set('site.domains', async function* (params) {
    yield 'Applying the virtual host'
    return params
  })
  await post('/api/servers', { name: 'web-1', hostname: '127.0.0.1', port: agent.port })
  await post('/api/servers/1/sites', { domain: 'shop.example', php: '8.4', tls: 'none' })
  const account = { name: 'Shops', token, api: cloudflare.api }
  await post('/api/dns-accounts', account)
})
beforeEach(() => {
  cloudflare.records.length = 0
})
afterAll(async () => {
  await cloudflare.stop()
  await agent.stop()
})

/** A record that points elsewhere. */
async function elsewhere(content: string) {
  await post('/api/servers/1/sites/1/domains/records', { name: 'shop.example' })
  for (const record of cloudflare.records) record.content = content
}

test('the dialog of domains lists the missing records, and makes them before the names change', async () => {
  await elsewhere('192.0.2.99')
  const { page, problems } = await open('/sites/1?tab=domains')
  await page.getByRole('button', { name: 'Edit domains' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Aliases').fill('new.shop.example')
  const records = dialog.getByRole('region', { name: 'DNS records' })
  await records.getByText('Create A new.shop.example → 127.0.0.1 in Shops').waitFor()
  await records
    .getByText('Create A shop.example → 127.0.0.1 in Shops, replaces A 192.0.2.99')
    .waitFor()
  const replace = records.getByLabel('Replace the records of shop.example')
  expect(await replace.isChecked()).toBe(false)

  await dialog.getByRole('button', { name: 'Save domains' }).click()
  await page.getByText('Applying the virtual host').waitFor()

  expect(left()).toEqual([
    'A shop.example 192.0.2.99',
    'A www.shop.example 127.0.0.1',
    'A new.shop.example 127.0.0.1',
  ])
  await page.goto(`${new URL(page.url()).origin}/sites/1?tab=activity`)
  await page.getByText('A new.shop.example → 127.0.0.1 in Shops').waitFor()
  expect(problems).toEqual([])
})

test('records that point elsewhere are replaced on request, and only as they were shown', async () => {
  await elsewhere('192.0.2.99')
  const { page } = await open('/sites/1?tab=domains')
  await page.getByRole('button', { name: 'Edit domains' }).click()
  const dialog = page.getByRole('dialog')
  const replace = dialog.getByLabel('Replace the records of shop.example')
  await replace.check()
  await dialog.getByText(/^Plan: 1 step/).waitFor()
  await elsewhere('192.0.2.98')

  await dialog.getByRole('button', { name: 'Save domains' }).click()
  await dialog.getByText('now it has A 192.0.2.98. Review them again').waitFor()
  expect(left()).toEqual(['A shop.example 192.0.2.98'])

  await dialog.getByText('replaces A 192.0.2.98').waitFor({ timeout: 10_000 })
  expect(await replace.isChecked()).toBe(false)
  await replace.check()
  await dialog.getByText(/^Plan: 1 step/).waitFor()
  await dialog.getByRole('button', { name: 'Save domains' }).click()
  await page.getByText('Applying the virtual host').waitFor()
  expect(left()).toContain('A shop.example 127.0.0.1')
  expect(left()).not.toContain('A shop.example 192.0.2.98')
})

test('the plan of a new site lists its records, which can be left out', async () => {
  const { page } = await open('/sites/new')
  await page.getByLabel('Domain').fill('second.shop.example')
  await page.getByRole('button', { name: 'Review plan' }).click()
  await page.getByText('Create A second.shop.example → 127.0.0.1 in Shops').waitFor()
  await page.getByLabel('Create missing DNS records').uncheck()
  await page.getByRole('button', { name: 'Create site' }).click()
  await page.waitForURL(/\/sites\/2/)

  expect(left()).toEqual([])
})

test('the menu of a site purges Cloudflare after its plan', async () => {
  await post('/api/servers/1/sites/1/domains/records', { name: 'shop.example' })
  for (const record of cloudflare.records) record.proxied = true
  const { page, problems } = await open('/sites/1')
  await page.getByRole('button', { name: /^More actions of/ }).click()
  await page.getByRole('menuitem', { name: 'Purge Cloudflare cache…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('In the zone shop.example of Shops: shop.example').waitFor()
  expect(cloudflare.purges).toEqual([])

  await dialog.getByRole('button', { name: 'Purge Cloudflare cache' }).click()
  await page.getByText('The Cloudflare cache of shop.example was purged.').waitFor()

  expect(cloudflare.purges).toEqual([['shop.example']])
  expect(problems).toEqual([])
})
