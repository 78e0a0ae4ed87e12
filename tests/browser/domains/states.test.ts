// tier: gate
import { expect, test } from 'bun:test'
import { useShop } from '#tests/support/browser/fleet.ts'

const { agent, open } = useShop()
let records = ['10.0.0.7']

const REASON = 'this server answers 404 instead of the token that the authority would request'
let other: object = { state: 'blocked', reason: REASON, next_at: '2099-01-01T00:00:00.000Z' }

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
