// tier: gate
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { FLAWLESS, inspect } from '#tests/support/browser/inspect.ts'
import { button, useBrowser } from '#tests/support/browser/pages.ts'
import { settled } from '#tests/support/browser/settled.ts'
import { ADMIN } from '#tests/support/processes.ts'
import { useDashboard } from '#tests/support/running.ts'
import { freePort } from '#tests/support/start-script.ts'

const port = await freePort()
/** The only host that browsers trust without TLS. */
const ORIGIN = `http://localhost:${port}`
const BOB = 'bob@control.example'
const open = useBrowser(useDashboard({ PORT: String(port), PUBLIC_URL: ORIGIN }, [BOB]))
const PHONE = { viewport: { width: 390, height: 844 } }

/** Opens the login on a phone with an authenticator, as for a person without a mouse. */
async function openPhone() {
  const opened = await open(`${ORIGIN}/login`, { signedIn: false, ...PHONE })
  const { page } = opened
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return opened
}

async function press(page: Page, name: string): Promise<void> {
  await button(page, name).first().focus()
  await page.keyboard.press('Enter')
}

async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail address').focus()
  await page.keyboard.type(email)
  await page.getByLabel('Password', { exact: true }).focus()
  await page.keyboard.type(ADMIN.password)
  await page.keyboard.press('Enter')
}

async function addPasskey(page: Page, name: string): Promise<void> {
  await press(page, 'Add passkey')
  await page.getByRole('dialog').getByLabel('Name').waitFor()
  await page.keyboard.type(name)
  await page.keyboard.press('Enter')
  await page.getByRole('row', { name: new RegExp(name) }).waitFor()
}

const overview = (page: Page) => page.getByRole('heading', { level: 1, name: 'Overview' })

test('a second factor is required, a passkey is set up, signs in and confirms, by keyboard on a phone', async () => {
  const owner = await openPhone()
  await signIn(owner.page, ADMIN.email)
  await overview(owner.page).waitFor()
  await owner.page.goto(`${ORIGIN}/account`)
  await addPasskey(owner.page, 'My phone')
  await owner.page.getByText('Add a second passkey').waitFor()
  const account = await inspect(owner.page)
  await owner.page.goto(`${ORIGIN}/settings`)
  const rule = owner.page.getByLabel('Accounts that need a second factor')
  await rule.focus()
  await owner.page.keyboard.type('Every')
  await press(owner.page, 'Save')
  await owner.page.getByText('Second factor is saved').waitFor()
  const settings = await inspect(owner.page)

  const bob = await openPhone()
  await signIn(bob.page, BOB)
  await bob.page.getByRole('heading', { name: 'Set up a second factor' }).waitFor()
  await settled(bob.page)
  const setup = await inspect(bob.page)
  await bob.page.goto(`${ORIGIN}/sites`)
  await bob.page.waitForURL('**/second-factor')
  await addPasskey(bob.page, 'Work laptop')
  await press(bob.page, 'Continue to the dashboard')
  await overview(bob.page).waitFor()

  await press(bob.page, 'Sign out')
  await bob.page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).focus()
  await bob.page.keyboard.press('Enter')
  await bob.page.waitForURL('**/login')
  await signIn(bob.page, BOB)
  await bob.page.getByText('Your account needs its passkey').waitFor()
  const factor = await inspect(bob.page)
  await press(bob.page, 'Use passkey')
  await overview(bob.page).waitFor()
  await bob.page.context().clearCookies()
  await bob.page.goto(`${ORIGIN}/login`)
  await press(bob.page, 'Sign in with a passkey')
  await overview(bob.page).waitFor()

  await bob.page.goto(`${ORIGIN}/account`)
  let confirmed = false
  await bob.page.route('**/api/auth/passkeys/*', (route) => {
    const json = { error: 'Conflict', message: 'Confirm first', code: 'confirmation_needed' }
    return confirmed ? route.continue() : route.fulfill({ status: 409, json })
  })
  await press(bob.page, 'Remove the passkey Work laptop')
  await press(bob.page, 'Remove passkey')
  await bob.page.getByRole('dialog', { name: 'Confirm with your passkey' }).waitFor()
  const prompt = await inspect(bob.page)
  confirmed = true
  const answer = bob.page.waitForResponse('**/api/auth/confirm')
  await press(bob.page, 'Use passkey')
  expect((await answer).status()).toBe(204)
  await bob.page.getByText('Your account needs a second factor: add another one').waitFor()

  const found = [account, settings, setup, factor, prompt]
  const problems = [...owner.problems, ...bob.problems]
  expect(found.map((one) => ({ ...one, problems }))).toEqual(found.map(() => FLAWLESS))
})
