// tier: gate
import { afterAll, expect, test } from 'bun:test'
import { useBrowser } from '#tests/support/browser/pages.ts'
import { Authority } from '#tests/support/mail/certificates.ts'
import { Relay } from '#tests/support/mail/relay.ts'
import { ADMIN } from '#tests/support/processes.ts'
import { useDashboard } from '#tests/support/running.ts'

const PASSWORD = 'right'
const authority = await Authority.create()
const relay = new Relay({ ...(await authority.certify('localhost')), secure: true })
await relay.start()
afterAll(() => relay.stop())

const dashboard = useDashboard({
  SMTP_URL: `smtps://shop:${PASSWORD}@localhost:${relay.port}`,
  MAIL_FROM: 'alerts@control.example',
  NODE_EXTRA_CA_CERTS: authority.roots,
})
const open = useBrowser(dashboard)

test('a test message is sent, and the answer of the SMTP server is shown', async () => {
  const { page, problems } = await open('/settings')
  const box = page.getByRole('checkbox', { name: 'E-mail notifications' })
  await box.waitFor()
  expect(await box.isChecked()).toBe(true)
  await page.getByText(`from alerts@control.example through localhost:${relay.port}.`).waitFor()

  await page.getByRole('button', { name: 'Send test message' }).click()
  await page.getByText(`The test message to ${ADMIN.email} was accepted`).waitFor()
  await page.getByText('250 2.0.0 Ok: queued as 1').waitFor()
  expect(relay.received).toMatchObject([
    { from: 'alerts@control.example', to: [ADMIN.email], user: 'shop' },
  ])

  await relay.stop()
  await page.getByRole('button', { name: 'Send test message' }).click()
  await page.getByText('The server refused the connection').waitFor()
  expect(await page.content()).not.toContain(`shop:${PASSWORD}`)

  await box.click()
  await page.getByRole('status').filter({ hasText: 'E-mail notifications' }).waitFor()
  const { body } = await dashboard.client().get('/api/settings')
  expect(body).toMatchObject({ settings: { email_notifications: false } })
  expect(problems).toEqual([])
})
