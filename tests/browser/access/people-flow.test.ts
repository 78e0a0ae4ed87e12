// tier: full
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { addServer, foundSite } from '#tests/support/browser/fleet.ts'
import { FLAWLESS, inspect } from '#tests/support/browser/inspect.ts'
import { button, useBrowser } from '#tests/support/browser/pages.ts'
import { settled } from '#tests/support/browser/settled.ts'
import { appOf } from '#tests/support/dashboard/totp.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { ADMIN } from '#tests/support/processes.ts'
import { useDashboard } from '#tests/support/running.ts'
import { freePort } from '#tests/support/start-script.ts'

const port = await freePort()
/** The only host that browsers trust without TLS. */
const ORIGIN = `http://localhost:${port}`
const PHONE = { viewport: { width: 390, height: 844 } }
const PASSWORD = 'an own long password'
const ANNA = 'anna@example.com'
const CLEO = 'cleo@shop.example'
const MAX_TABS = 150

const agent = new FakeAgent()
agent.sites = [foundSite('blog.example'), foundSite('shop.example')]
const dashboard = useDashboard({ PORT: String(port), PUBLIC_URL: ORIGIN })
const open = useBrowser(dashboard)
beforeAll(() => addServer(dashboard, agent, 'web-1'))
afterAll(() => agent.stop())

/** Opens a page on a phone with an authenticator of its own. */
async function openPhone(address: string) {
  const opened = await open(address, { signedIn: false, ...PHONE })
  const devtools = await opened.page.context().newCDPSession(opened.page)
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

/** Moves the focus with Tab alone: fails for an element that no keyboard reaches. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  for (let tabs = 0; tabs < MAX_TABS; tabs++) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`The focus does not reach ${target} with ${MAX_TABS} tabs`)
}

async function press(page: Page, name: string): Promise<void> {
  await tabTo(page, button(page, name).first())
  await page.keyboard.press('Enter')
}

async function fill(page: Page, label: string, text: string): Promise<void> {
  await tabTo(page, page.getByLabel(label, { exact: true }))
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type(text)
}

/** Chooses the option of a list that begins with a text. */
async function choose(page: Page, label: string, text: string): Promise<void> {
  await tabTo(page, page.getByLabel(label, { exact: true }))
  await page.keyboard.type(text)
}

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await fill(page, 'E-mail address', email)
  await fill(page, 'Password', password)
  await page.keyboard.press('Enter')
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })

/** Sets up an authenticator app, and stores its recovery codes. */
async function setUpApp(page: Page, password: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  await press(page, 'Set up two-factor authentication')
  await fill(page, 'Your password', password)
  await page.keyboard.press('Enter')
  const secret = (await dialog.locator('code').textContent()) ?? ''
  await fill(page, 'Code of the app', appOf(secret).code(new Date()))
  await page.keyboard.press('Enter')
  await tabTo(page, dialog.getByLabel('I have stored them'))
  await page.keyboard.press('Space')
  await press(page, 'Done')
  await dialog.waitFor({ state: 'detached' })
}

async function addPasskey(page: Page, name: string): Promise<void> {
  await press(page, 'Add passkey')
  await tabTo(page, page.getByRole('dialog').getByLabel('Name'))
  await page.keyboard.type(name)
  await page.keyboard.press('Enter')
  await page.getByRole('row', { name: new RegExp(name) }).waitFor()
}

/** Chooses a site, whose name is the only match, for a new grant. */
async function chooseSite(page: Page, site: string, grant: string): Promise<void> {
  await fill(page, 'Find a site', site)
  const matches = page.getByLabel('Matching sites').getByRole('listitem')
  await matches.getByText(site).waitFor()
  await matches.filter({ hasNotText: site }).first().waitFor({ state: 'detached' })
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByText(`${grant} on the site ${site}`).waitFor()
}

/** Creates the invitation of the open dialog, and returns its link. */
async function createInvitation(page: Page): Promise<string> {
  await press(page, 'Create invitation')
  const link = (await page.getByRole('dialog').locator('code').textContent()) ?? ''
  await press(page, 'Done')
  return link
}

/** Accepts an invitation on another phone, and signs in there. */
async function accept(link: string, email: string) {
  const opened = await openPhone(link)
  const { page } = opened
  await fill(page, 'Password', PASSWORD)
  await fill(page, 'Repeat password', PASSWORD)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/login')
  await signIn(page, email, PASSWORD)
  await heading(page, 'Set up a second factor').waitFor()
  return opened
}

const sitesIn = (page: Page) => page.locator('a[data-site]').allInnerTexts()

test('people come, need a second factor, see their part, and go, by keyboard on a phone', async () => {
  const owner = await openPhone(`${ORIGIN}/login`)
  await signIn(owner.page, ADMIN.email, ADMIN.password)
  await heading(owner.page, 'Overview').waitFor()
  await owner.page.goto(`${ORIGIN}/account`)
  await setUpApp(owner.page, ADMIN.password)
  await owner.page.goto(`${ORIGIN}/settings`)
  await choose(owner.page, 'Accounts that need a second factor', 'Every')
  await press(owner.page, 'Save')
  await owner.page.getByText('Second factor is saved').waitFor()

  await owner.page.goto(`${ORIGIN}/people`)
  await press(owner.page, 'Invite person')
  await fill(owner.page, 'Name', 'Anna Weber')
  await fill(owner.page, 'E-mail address', ANNA)
  await choose(owner.page, 'Role in the whole fleet', 'Viewer')
  const invitation = await inspect(owner.page)
  const anna = await accept(await createInvitation(owner.page), ANNA)
  await setUpApp(anna.page, PASSWORD)
  await press(anna.page, 'Continue to the dashboard')
  await heading(anna.page, 'Overview').waitFor()
  await anna.page.goto(`${ORIGIN}/account`)
  await addPasskey(anna.page, 'Work phone')
  await anna.page.context().clearCookies()
  await anna.page.goto(`${ORIGIN}/login`)
  await press(anna.page, 'Sign in with a passkey')
  await heading(anna.page, 'Overview').waitFor()
  await anna.page.goto(`${ORIGIN}/sites`)
  await anna.page.getByText('shop.example').first().waitFor()
  const seenByViewer = await sitesIn(anna.page)

  await press(owner.page, 'Invite person')
  await fill(owner.page, 'Name', 'Cleo Martin')
  await fill(owner.page, 'E-mail address', CLEO)
  await choose(owner.page, 'Role in the whole fleet', 'None')
  await choose(owner.page, 'Grant', 'Client')
  await chooseSite(owner.page, 'shop.example', 'Client')
  const cleo = await accept(await createInvitation(owner.page), CLEO)
  const setup = await inspect(cleo.page)
  await addPasskey(cleo.page, 'Own phone')
  await press(cleo.page, 'Continue to the dashboard')
  await heading(cleo.page, 'Your sites').waitFor()
  await settled(cleo.page)
  const clientPage = await inspect(cleo.page)
  const seenByClient = await cleo.page.getByRole('main').getByRole('link').allInnerTexts()

  await owner.page.reload()
  await press(owner.page, 'Change rights of Anna Weber')
  await choose(owner.page, 'Role in the whole fleet', 'None')
  await chooseSite(owner.page, 'blog.example', 'Operator')
  const rights = await inspect(owner.page)
  await press(owner.page, 'Save rights')
  await owner.page.getByRole('link', { name: 'the site blog.example' }).waitFor()
  await anna.page.reload()
  await anna.page.getByText('blog.example').first().waitFor()
  await settled(anna.page)
  const seenWithin = await sitesIn(anna.page)

  await press(owner.page, 'Deactivate: Anna Weber')
  await press(owner.page, 'Deactivate account')
  await owner.page.getByText('deactivated', { exact: true }).waitFor()
  await anna.page.waitForURL(/\/login/)
  await press(anna.page, 'Sign in with a passkey')
  await anna.page.getByText('The passkey was not accepted').waitFor()
  await cleo.page.reload()
  await heading(cleo.page, 'Your sites').waitFor()

  expect({ seenByViewer, seenByClient, seenWithin }).toEqual({
    seenByViewer: ['blog.example', 'shop.example'],
    seenByClient: ['shop.example'],
    seenWithin: ['blog.example'],
  })
  const problems = [owner, anna, cleo].flatMap((one) => one.problems)
  const found = [invitation, setup, clientPage, rights]
  expect(found.map((one) => ({ ...one, problems }))).toEqual(found.map(() => FLAWLESS))
})
