// tier: gate
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { FLAWLESS, inspect } from '#tests/support/browser/inspect.ts'
import { signIn, useBrowser } from '#tests/support/browser/pages.ts'
import { appOf } from '#tests/support/dashboard/totp.ts'
import { ADMIN } from '#tests/support/processes.ts'
import { useDashboard } from '#tests/support/running.ts'

const open = useBrowser(useDashboard())

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign out' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL('**/login')
}

test('two-factor authentication is set up, asks for a code, takes a recovery code, and is turned off', async () => {
  const { page, problems } = await open('/account', { signedIn: false })
  const overview = page.getByRole('heading', { level: 1, name: 'Overview' })
  const dialog = page.getByRole('dialog')
  await signIn(page)
  await page.getByRole('button', { name: 'Set up two-factor authentication' }).click()
  await dialog.getByLabel('Your password').fill('not the password')
  await page.keyboard.press('Enter')
  await dialog.getByText('Is not the current password').waitFor()
  await dialog.getByLabel('Your password').fill(ADMIN.password)
  await page.keyboard.press('Enter')
  await dialog.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
  const secret = (await dialog.locator('code').textContent()) ?? ''
  expect(secret).toMatch(/^[A-Z2-7]{32}$/)
  const withSecret = await inspect(page)
  const app = appOf(secret)

  await dialog.getByLabel('Code of the app').fill('no code')
  await page.keyboard.press('Enter')
  await dialog.getByText('The code is wrong, or was used before').waitFor()
  await dialog.getByLabel('Code of the app').fill(app.code(new Date()))
  await page.keyboard.press('Enter')
  const list = dialog.getByRole('list', { name: 'Recovery codes' })
  await list.waitFor()
  const codes = await list.getByRole('listitem').allTextContents()
  const withCodes = await inspect(page)
  const done = dialog.getByRole('button', { name: 'Done' })
  expect({ codes: codes.length, closes: await done.isEnabled() }).toEqual({
    codes: 10,
    closes: false,
  })
  const download = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Download recovery codes' }).click()
  expect(await Bun.file(await (await download).path()).text()).toBe(`${codes.join('\n')}\n`)
  await dialog.getByLabel('I have stored them').check()
  await done.click()
  await page.getByText('10 unused codes left').waitFor()
  expect(await page.content()).not.toContain(secret)

  await signOut(page)
  await signIn(page)
  const field = page.getByLabel('Authentication code')
  await field.waitFor()
  const attributes = ['autocomplete', 'inputmode'].map((name) => field.getAttribute(name))
  expect(await Promise.all(attributes)).toEqual(['one-time-code', 'numeric'])
  const withCode = await inspect(page)
  await field.fill('no code')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('The code is wrong, or was used before').waitFor()
  await field.fill(app.code(new Date(), 1))
  await page.keyboard.press('Enter')
  await overview.waitFor()

  await signOut(page)
  await signIn(page)
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  const recovery = page.getByLabel('Recovery code')
  await recovery.fill(codes[0] ?? '')
  await page.keyboard.press('Enter')
  await overview.waitFor()

  await page.goto('/account')
  await page.getByText('9 unused codes left').waitFor()
  await page.getByRole('button', { name: 'Create recovery codes' }).click()
  await dialog.getByLabel('Your password').fill(ADMIN.password)
  await dialog.getByLabel('Authentication code').fill(codes[0] ?? '')
  await dialog.getByRole('button', { name: 'Create recovery codes' }).click()
  await dialog.getByText('The code is wrong, or was used before').waitFor()
  await dialog.getByLabel('Authentication code').fill(codes[1] ?? '')
  await dialog.getByRole('button', { name: 'Create recovery codes' }).click()
  await list.waitFor()
  const [next = ''] = await list.getByRole('listitem').allTextContents()
  await dialog.getByLabel('I have stored them').check()
  await done.click()
  await page.getByText('10 unused codes left').waitFor()

  await page.getByRole('button', { name: 'Turn off' }).click()
  await dialog.getByLabel('Your password').fill(ADMIN.password)
  await dialog.getByLabel('Authentication code').fill(next)
  await dialog.getByRole('button', { name: 'Turn off' }).click()
  await page.getByRole('button', { name: 'Set up two-factor authentication' }).waitFor()
  await signOut(page)
  await signIn(page)
  await overview.waitFor()

  expect([withSecret, withCodes, withCode].map((found) => ({ ...found, problems }))).toEqual([
    FLAWLESS,
    FLAWLESS,
    FLAWLESS,
  ])
})
