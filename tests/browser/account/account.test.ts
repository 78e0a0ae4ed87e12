// tier: gate
import { expect, test } from 'bun:test'
import { runCommand } from '#dashboard/cli.ts'
import { readConfig } from '#dashboard/config.ts'
import { addAccount } from '#tests/support/accounts.ts'
import { button, sessionOf, signIn, useBrowser } from '#tests/support/browser/pages.ts'
import { settled } from '#tests/support/browser/settled.ts'
import { Client } from '#tests/support/client.ts'
import { useDemo } from '#tests/support/demo.ts'
import { temporaryFolder } from '#tests/support/processes.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const folder = await temporaryFolder('demo-account')
const demo = useDemo(['--pace', '0', '--steady', '--data', folder])
const open = useBrowser(demo)

async function account(name: string) {
  const credentials = { email: `${name}@control.example`, password: 'for a test of accounts' }
  await addAccount(folder, { ...credentials, gives: ['viewer'] })
  const client = new Client(demo.running().url)
  await client.login(credentials)
  return { credentials, client }
}

/** The Account page in the session of the client. */
async function openAccount(client: Client) {
  const opened = await open('/login', { signedIn: false })
  await opened.page.context().addCookies(sessionOf(client))
  await opened.page.goto('/account')
  await settled(opened.page)
  return opened
}

test('the sessions are listed, and another one is ended', async () => {
  const { credentials, client } = await account('ann')
  const elsewhere = new Client(demo.running().url)
  const headers = { 'user-agent': FIREFOX }
  const body = credentials
  const login = await elsewhere.send({ method: 'POST', path: '/api/auth/login', body, headers })
  elsewhere.cookie = login.headers.getSetCookie()[0]?.split(';')[0]
  const { page, problems } = await openAccount(client)
  const other = page.getByRole('row', { name: /Firefox on Linux/ })
  await other.waitFor()

  await button(page, 'End the session of Firefox on Linux').click()

  await other.waitFor({ state: 'detached' })
  await page.getByText('This session', { exact: true }).waitFor()
  expect((await elsewhere.get('/api/auth/me')).status).toBe(401)
  expect((await client.get('/api/auth/me')).status).toBe(200)
  expect(problems).toEqual([])
})

test('the name is changed, and the address with the password', async () => {
  const { credentials, client } = await account('ben')
  const { page, problems } = await openAccount(client)
  await page.getByLabel('Name', { exact: true }).fill('Ben Example')
  await page.getByLabel('E-mail address').fill('benjamin@control.example')
  await page.getByLabel('Your password').fill(credentials.password)

  await button(page, 'Save profile').click()

  await page.getByText('Ben Example, benjamin@control.example').waitFor()
  expect((await client.get('/api/auth/me')).body).toMatchObject({
    user: { name: 'Ben Example', email: 'benjamin@control.example' },
  })
  expect(problems).toEqual([])
})

test('a link of the command sets a new password, once', async () => {
  const { credentials, client } = await account('cara')
  let out = ''
  const output = {
    out: (text: string) => {
      out += text
    },
    err: () => undefined,
    read: async () => '',
  }
  const records = () => readConfig({ DATA_DIR: folder })
  await runCommand(['reset-password', credentials.email], records, output)
  const [link = ''] = /\/reset#[\w-]+/.exec(out) ?? []
  const { page, problems } = await open(link, { signedIn: false })
  const password = 'a new one for cara'
  await page.getByLabel('New password').fill(password)

  await button(page, 'Set password').click()

  await page.getByText('The new password is set').waitFor()
  expect((await client.get('/api/auth/me')).status).toBe(401)
  await page.getByRole('link', { name: 'Go to the login' }).click()
  await signIn(page, { email: credentials.email, password })
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  const again = await open(link, { signedIn: false })
  await again.page.getByLabel('New password').fill(password)
  await button(again.page, 'Set password').click()
  await again.page.getByText('This link cannot be used').waitFor()
  expect(problems).toEqual([])
})

test('without mail, the page for a forgotten password names the command', async () => {
  const { page } = await open('/login', { signedIn: false })
  await page.getByRole('link', { name: 'Forgot password?' }).click()
  // The login page has a field of this name, too, until the other page has been loaded.
  await page.waitForURL('**/reset')
  await button(page, 'Send link').waitFor()
  await page.getByLabel('E-mail address').fill('ann@control.example')

  await button(page, 'Send link').click()

  expect(await page.getByRole('alert').textContent()).toContain(
    'hosting-control reset-password <email>',
  )
})
