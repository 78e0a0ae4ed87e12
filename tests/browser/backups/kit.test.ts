// tier: gate
import { expect, test } from 'bun:test'
import { foundSite, useFleet } from '#tests/support/browser/fleet.ts'
import { FLAWLESS, inspect } from '#tests/support/browser/inspect.ts'
import { button } from '#tests/support/browser/pages.ts'
import { settled } from '#tests/support/browser/settled.ts'
import { backupAgent, opened } from '#tests/support/dashboard/backups.ts'
import { rsa } from '#tests/support/key-pair.ts'

const { agent } = backupAgent()
agent.sites = [foundSite('shop.example')]
const { dashboard, open } = useFleet({ agent })
const kits = async () => Object((await dashboard.client().get('/api/backup-kit')).body)

test('a site without a kit says what to do, with a link', async () => {
  const { page, problems } = await open('/sites/1?tab=backups')
  await page.getByText('This site has no backups').waitFor()
  await page.getByText('This site cannot be backed up: No recovery kit is confirmed').waitFor()
  expect(await button(page, 'Back up now').count()).toBe(0)

  await page.getByRole('link', { name: 'Set up backups' }).click()

  await page.waitForURL('**/backups')
  const step = page.locator('[aria-current=step]')
  await step.getByText('Create and confirm the recovery kit').waitFor()
  expect(problems).toEqual([])
})

test('the browser generates a kit, which is in use after the saved file was chosen', async () => {
  const { page, problems } = await open('/backups')
  const sent: string[] = []
  page.on('request', (request) => sent.push(request.postData() ?? ''))
  await page.locator('[aria-current=step]').getByRole('button').click()
  const dialog = page.getByRole('dialog')
  await button(page, 'Create recovery kit').last().click()
  const saving = page.waitForEvent('download')
  await button(page, 'Download kit').click()
  const file = await (await saving).path()
  const confirm = button(page, 'Confirm recovery kit')
  const { in_use, pending } = await kits()
  expect([await confirm.isDisabled(), in_use]).toEqual([true, null])
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)

  const choose = async (name: string, text: string) => {
    const file = { name, mimeType: 'text/plain', buffer: Buffer.from(text) }
    await dialog.getByLabel('Saved kit').setInputFiles(file)
    await confirm.click()
  }
  await choose('list.txt', 'milk')
  await dialog.getByText('The file has no private key.').waitFor()
  await choose('old.txt', rsa().privateKey)
  await dialog.getByText('The file is another kit.').waitFor()
  await choose('hosting-control-recovery-kit.txt', await Bun.file(file).text())

  await dialog.waitFor({ state: 'detached' })
  const kit = (await kits()).in_use
  expect(kit.fingerprint).toBe(pending.fingerprint)
  await page.getByRole('tab', { name: 'Recovery kit' }).click()
  await page.getByText(kit.fingerprint).first().waitFor()
  expect(await Bun.file(file).text()).toContain(`Fingerprint: ${kit.fingerprint}\n`)
  expect(sent.join()).not.toContain('PRIVATE')
  expect(problems).toEqual([])
})

test('only the kit is printed, and an earlier one stays in use', async () => {
  const { page, problems } = await open('/backups?part=kit')
  await button(page, 'Create recovery kit').first().click()
  await button(page, 'Create recovery kit').last().click()
  await button(page, 'Print kit').waitFor()

  await page.emulateMedia({ media: 'print' })

  const sheet = page.locator('.print-only')
  expect([await sheet.isVisible(), await page.locator('#root').isVisible()]).toEqual([true, false])
  expect(await page.getByRole('dialog').isVisible()).toBe(false)
  const text = (await sheet.textContent())?.trim()
  expect(text).toStartWith('Hosting Control: recovery kit')
  expect(text).toEndWith('-----END PRIVATE KEY-----')
  await page.emulateMedia({ media: null })
  await page.reload()
  await page.getByText('A newer kit is not confirmed and not in use').waitFor()
  await settled(page)
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)
})

test('without HTTPS, openssl creates the kit and answers', async () => {
  const { page, problems } = await open('/backups?part=kit')
  await page.addInitScript(() => Object.defineProperty(crypto, 'subtle', { get: () => undefined }))
  await page.reload()
  await button(page, 'Create recovery kit').first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('This page is not served over HTTPS').waitFor()
  await dialog.getByLabel('Public key').fill('-----BEGIN PUBLIC KEY-----')
  await button(page, 'Use this key').click()
  await dialog.getByText('Must be a public key in PEM').waitFor()
  const pair = rsa()
  await dialog.getByLabel('Public key').fill(pair.publicKey.replaceAll('\n', '\r\n'))
  await button(page, 'Use this key').click()

  await dialog.getByLabel('Answer').waitFor()
  const command = (await dialog.locator('code').textContent()) ?? ''
  const [, challenge = ''] = /'(.+?)'/.exec(command) ?? []
  await dialog.getByLabel('Answer').fill(opened(pair.privateKey, challenge))
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)
  await button(page, 'Confirm recovery kit').click()

  await dialog.waitFor({ state: 'detached' })
  expect(await kits()).toMatchObject({
    pending: null,
    in_use: { confirmed_at: expect.any(String) },
  })
  expect(problems).toEqual([])
})
