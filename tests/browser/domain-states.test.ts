// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { makesSites } from '#tests/support/browser/fleet.ts'
import { useBrowser } from '#tests/support/browser/pages.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { useDashboard } from '#tests/support/running.ts'

const dashboard = useDashboard()
const open = useBrowser(dashboard)
const agent = new FakeAgent()
let records = ['10.0.0.7']
let other: object

const REASON = 'this server answers 404 instead of the token that the authority would request'

beforeAll(async () => {
  other = { state: 'blocked', reason: REASON, next_at: '2099-01-01T00:00:00.000Z' }
  const post = (path: string, body: object) => dashboard.client().post(path, body)
  makesSites(agent)
  agent.answers.set('/sites/names', () =>
    Response.json({
      ...{ self_signed: false, expires_at: '2027-01-01T00:00:00.000Z' },
      names: [
        {
          name: 'shop.example',
          records,
          certificate: { state: 'active', reason: '', next_at: null },
        },
        { name: 'www.shop.example', records: ['104.16.1.1'], certificate: other },
      ],
    }),
  )
  await post('/api/servers', { name: 'web-1', hostname: '127.0.0.1', port: agent.port })
  await post('/api/servers/1/sites', { domain: 'shop.example', php: '8.4', tls: 'none' })
})
afterAll(() => agent.stop())

test('each name shows where its records lead, and why it has no certificate', async () => {
  const { page, problems } = await open('/sites?q=shop.example')
  await page.getByRole('link', { name: 'shop.example' }).click()
  await page.getByRole('tab', { name: 'Domains' }).click()
  const table = page.getByRole('region', { name: 'Domains' })
  const primary = table.getByRole('row').filter({ hasText: 'Primary domain' })
  const www = table.getByRole('row').filter({ hasText: 'www.shop.example' })

  await primary.getByText('points elsewhere').waitFor()
  await primary.getByText('10.0.0.7').waitFor()
  await primary.getByText('active', { exact: true }).waitFor()
  await www.getByText('behind Cloudflare').waitFor()
  await www.getByText('blocked', { exact: true }).waitFor()
  await www.getByText(REASON).waitFor()
  await page.getByText('Point the A and AAAA records of each name to').waitFor()

  records = ['127.0.0.1']
  await page.getByRole('button', { name: 'Check DNS' }).click()
  await primary.getByText('points here').waitFor()
  expect(problems).toEqual([])
})

test('a running request for a certificate is shown from its check to its end', async () => {
  const is = (state: string) => ({ state, reason: '', next_at: null })
  other = is('checking')
  const { page, problems } = await open('/sites?q=shop.example')
  await page.getByRole('link', { name: 'shop.example' }).click()
  await page.getByRole('tab', { name: 'Domains' }).click()
  const table = page.getByRole('region', { name: 'Domains' })
  const www = table.getByRole('row').filter({ hasText: 'www.shop.example' })

  await www.getByText('checking', { exact: true }).waitFor()
  other = is('issuing')
  await www.getByText('issuing', { exact: true }).waitFor()
  other = is('active')
  await www.getByText('active', { exact: true }).waitFor()

  expect(problems).toEqual([])
})
