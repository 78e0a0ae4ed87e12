// tier: gate
import { expect, test } from 'bun:test'
import { useBrowser } from '#tests/support/browser/pages.ts'
import { useDemo } from '#tests/support/demo.ts'

const demo = useDemo()
const open = useBrowser(demo)

/** The fourth server of the demo has no relay. */
const WITHOUT = 4

test('a server without a relay says that mail is not sent, and gets one in the form', async () => {
  const { page, problems } = await open(`/servers/${WITHOUT}`)
  await page.getByText('No relay configured: mail is not sent').waitFor()

  await page.getByRole('button', { name: 'Change mail settings' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Relay').selectOption('An SMTP server')
  await dialog.getByLabel('Host').fill('smtp.example.com')
  await dialog.getByLabel('User').fill('agency')
  await dialog.getByRole('button', { name: 'Save mail settings' }).click()
  await dialog.getByText('Is required, because the relay or its user has changed').waitFor()
  await dialog.getByLabel('Password').fill('a password of the relay')
  await dialog.getByRole('button', { name: 'Save mail settings' }).click()

  await page.waitForURL('**/operations/*')
  await page.getByText('Removing the previous setting').first().waitFor({ timeout: 60_000 })
  await page.getByText('success', { exact: true }).first().waitFor()
  const { body } = await demo.client().get(`/api/servers/${WITHOUT}/mail`)
  expect(body).toMatchObject({
    mail: { sends: true, setting: { relay: { host: 'smtp.example.com', has_password: true } } },
  })
  await page.goto(`/servers/${WITHOUT}`)
  await page.getByText('smtp.example.com, port 587').waitFor()
  expect(problems).toEqual([])
})

test('a test shows the answer of the relay, also a refusal', async () => {
  const { page, problems } = await open('/servers/1')
  const send = async (to: string) => {
    await page.getByRole('button', { name: 'Send test message' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Recipient').fill(to)
    await dialog.getByRole('button', { name: 'Send test message' }).click()
    await page.waitForURL('**/operations/*')
  }
  await send('ann@example.org')
  await page.getByText('The relay took the message: 250 2.0.0 Ok: queued').first().waitFor()

  await page.goto('/servers/1')
  await send('bounce@example.org')
  await page
    .getByText('The relay did not take the message: 550 5.1.1 User unknown')
    .first()
    .waitFor()
  expect(problems).toEqual([])
})

test('a site shows its queue and its own settings', async () => {
  const { body } = await demo.client().get('/api/servers/1/mail')
  const { mail } = body as { mail: { sites: { site_id: number; sent_day: number }[] } }
  const [site] = mail.sites
  const { page, problems } = await open(`/sites/${site?.site_id}?tab=mail`)

  await page.getByText('smtp.relay.example, port 587 (from the server)').waitFor()
  await page.getByText(`${site?.sent_day} sent`).waitFor()
  expect(problems).toEqual([])
})
