// tier: full
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { inspect } from '#tests/support/browser/inspect.ts'
import { button, useBrowser } from '#tests/support/browser/pages.ts'
import { CLIENT, type RealProvider, startProvider } from '#tests/support/oidc/provider.ts'
import { useDashboard } from '#tests/support/running.ts'
import { freePort } from '#tests/support/start-script.ts'

const PORT = await freePort()
const PUBLIC_URL = `http://127.0.0.1:${PORT}`
const dashboard = useDashboard({ PORT: String(PORT), PUBLIC_URL })
const open = useBrowser(dashboard)

const CLEAN = { light: [], dark: [], too_wide: [] }

let provider: RealProvider
beforeAll(async () => {
  const redirect_uris = [`${PUBLIC_URL}/sso/keycloak`]
  provider = await startProvider({ redirect_uris, forms: true })
  provider.people.set('anna', { email: 'anna@provider.example' })
})
afterAll(() => provider[Symbol.asyncDispose]())

test('an owner adds a provider, links a login, and logs in with it', async () => {
  const { page, problems } = await open('/settings')
  const dialog = page.getByRole('dialog')
  const seen: Awaited<ReturnType<typeof inspect>>[] = []
  const atProvider = async () => {
    await page.waitForURL(`${provider.issuer}/**`)
    await page.getByPlaceholder('Enter any login').fill('anna')
    await page.getByPlaceholder('and password').fill('any')
    await page.keyboard.press('Enter')
  }
  await button(page, 'Add identity provider').click()
  await dialog.getByLabel('Name').fill('Keycloak')
  await dialog.getByText(`${PUBLIC_URL}/sso/keycloak`).waitFor()
  await dialog.getByLabel('Issuer').fill(`${provider.issuer}/`)
  await dialog.getByLabel('Client ID').fill(CLIENT.client_id)
  await dialog.getByLabel('Client secret').fill(CLIENT.client_secret)
  await dialog.getByLabel('Claim for roles').fill('groups')
  await button(page, 'Add value').click()
  await dialog.getByLabel('Value 1', { exact: true }).fill('staff')
  seen.push(await inspect(page))
  await dialog.getByRole('button', { name: 'Add provider' }).click()
  await dialog.getByText('The provider calls itself').waitFor()
  await dialog.getByLabel('Issuer').fill(provider.issuer)
  await dialog.getByRole('button', { name: 'Add provider' }).click()
  await button(page, 'Test Keycloak').click()
  await page.getByText('Keycloak can be used').waitFor()
  seen.push(await inspect(page))

  await page.goto(`${PUBLIC_URL}/account`)
  await button(page, 'Link Keycloak').click()
  await atProvider()
  await page.getByText('The login is linked with your account').waitFor()
  await page.getByText('anna@provider.example').waitFor()
  seen.push(await inspect(page))

  const other = await open('/sites?q=shop', { signedIn: false })
  await other.page.waitForURL(/\/login\?to=/)
  await button(other.page, 'Log in with Keycloak').waitFor()
  seen.push(await inspect(other.page))
  await button(other.page, 'Log in with Keycloak').press('Enter')
  await other.page.waitForURL(`${provider.issuer}/**`)
  await other.page.getByPlaceholder('Enter any login').fill('anna')
  await other.page.getByPlaceholder('and password').fill('any')
  await other.page.keyboard.press('Enter')
  await other.page.waitForURL(/\/sites\?q=shop$/)
  await other.page.getByRole('heading', { name: 'Sites', level: 1 }).waitFor()

  await other.page.goto(`${PUBLIC_URL}/sso/keycloak?code=a&state=b`)
  await other.page.getByText('This login was not begun in this browser').waitFor()
  seen.push(await inspect(other.page))

  await page.getByRole('button', { name: 'Unlink anna@provider.example' }).click()
  await dialog.getByRole('button', { name: 'Unlink login' }).click()
  await page.getByText('The login is unlinked').waitFor()
  expect(seen).toEqual(seen.map(() => CLEAN))
  expect(problems).toEqual([])
})
