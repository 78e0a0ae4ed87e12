// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { useBrowser } from '#tests/support/browser/pages.ts'
import { startCloudflare } from '#tests/support/cloudflare/server.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { useDashboard } from '#tests/support/running.ts'

const dashboard = useDashboard()
const open = useBrowser(dashboard)
const agent = new FakeAgent()
const token = 'a-token-of-forty-characters-a-token-of-f'
const cloudflare = startCloudflare({ token, zones: ['shop.example'] })

beforeAll(async () => {
  const post = (path: string, body: object) => dashboard.client().post(path, body)
  agent.answers.set('/sites/names', () =>
    Response.json({
      ...{ self_signed: false, expires_at: '' },
      names: cloudflare.records.length > 0 ? [named(['127.0.0.1'])] : [named([])],
    }),
  )
  await post('/api/servers', { name: 'web-1', hostname: '127.0.0.1', port: agent.port })
  await post('/api/servers/1/sites', { domain: 'shop.example', php: '8.4', tls: 'none' })
})
afterAll(async () => {
  await cloudflare.stop()
  await agent.stop()
})

const named = (records: string[]) => ({
  ...{ name: 'shop.example', records },
  certificate: { state: 'none', reason: '', next_at: null },
})

test('a wrong token is refused with the message of the provider, and the account is forgotten', async () => {
  const { page } = await open('/settings')
  await page.getByText('No DNS account').waitFor()
  await page.getByRole('button', { name: 'Add DNS account' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('API token').fill('short')
  await dialog.getByRole('button', { name: 'Add account' }).click()
  await dialog.getByText('Must be an API token of Cloudflare').waitFor()
  await page.keyboard.press('Escape')

  const { api } = cloudflare
  const added = await dashboard.client().post('/api/dns-accounts', { name: 'Shops', token, api })
  expect(added.status).toBe(201)
  await page.reload()
  await page.getByRole('button', { name: 'Change Shops' }).click()
  await dialog.getByLabel('API token').fill(token.replace('a', 'b'))
  await dialog.getByRole('button', { name: 'Save account' }).click()
  await dialog.getByText('Cloudflare: Invalid access token (9109)').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Remove Shops' }).click()
  await dialog.getByRole('button', { name: 'Remove account' }).click()
  await page.getByText('No DNS account').waitFor()
})

test('the missing record of a name is created after its plan is shown', async () => {
  const { api } = cloudflare
  await dashboard.client().post('/api/dns-accounts', { name: 'Shops', token, api })
  const { page, problems } = await open('/sites/1?tab=domains')
  await page.getByRole('button', { name: 'Create record: shop.example' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('In the zone shop.example of Shops:').waitFor()
  await dialog.getByText('Create A 127.0.0.1').waitFor()
  expect(cloudflare.records).toEqual([])

  await dialog.getByRole('button', { name: 'Create record' }).click()

  await page.getByText('points here').waitFor()
  expect(cloudflare.records).toMatchObject([{ type: 'A', content: '127.0.0.1' }])
  expect(await page.getByRole('button', { name: 'Create record: shop.example' }).count()).toBe(0)
  expect(problems).toEqual([])
})
