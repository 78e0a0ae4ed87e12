// tier: gate
import { beforeAll, expect, test } from 'bun:test'
import { FLAWLESS, inspect } from '#tests/support/browser/inspect.ts'
import { useLogins } from '#tests/support/browser/logins.ts'
import { useBrowser } from '#tests/support/browser/pages.ts'
import { settled } from '#tests/support/browser/settled.ts'
import { Refused } from '#tests/support/fake-operation.ts'
import { useDashboard } from '#tests/support/running.ts'

const dashboard = useDashboard()
const open = useBrowser(dashboard)
const logins = useLogins(dashboard, open)
const { agent, given, posted } = logins

beforeAll(() => {
  agent.answers.set('/sites/wordpress-users', () =>
    Response.json({
      users: [
        { id: 1, login: 'anna', name: 'Anna Weber', role: 'administrator' },
        { id: 7, login: 'ed', name: 'ed', role: 'editor' },
      ],
      more: false,
    }),
  )
})

test('one click opens WordPress in a new tab, and no address contains the token', async () => {
  const { page, problems } = await logins.open()

  const [tab] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('button', { name: 'Log in to WordPress' }).click(),
  ])
  await tab.getByRole('heading', { name: 'WordPress' }).waitFor()

  expect(given).toMatchObject([{ domain: 'shop.example', user_id: null }])
  expect(posted).toEqual([
    expect.stringMatching(
      /^POST http:\/\/shop\.example\/\.well-known\/hosting-login token=[\w-]{43}$/,
    ),
  ])
  expect(new URL(tab.url()).search).toBe('')
  expect(problems).toEqual([])
})

test('the palette logs in too, and asks for the password when the button would', async () => {
  const { page, problems } = await logins.open()
  const search = page.getByRole('combobox', { name: /^Search/ })
  const choose = async () => {
    await page.getByRole('button', { name: 'Log in to WordPress' }).waitFor()
    await page.keyboard.press('Control+k')
    await search.pressSequentially('log in to word')
    await page.locator('[role=option][data-highlighted]', { hasText: 'WordPress' }).waitFor()
  }
  await choose()
  const [tab] = await Promise.all([page.waitForEvent('popup'), page.keyboard.press('Enter')])
  await tab.getByRole('heading', { name: 'WordPress' }).waitFor()
  expect(given.at(-1)).toMatchObject({ domain: 'shop.example', user_id: null })
  expect(problems).toEqual([])

  await page.route('**/wordpress-login', (route) =>
    route.fulfill({
      status: 409,
      json: { error: 'Conflict', message: 'Confirm it', code: 'confirmation_needed' },
    }),
  )
  await choose()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Log in to shop.example' })
  await dialog.getByLabel('Your password of this dashboard').waitFor()
  expect(new URL(page.url()).search).toBe('?login=true')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'hidden' })
  expect(new URL(page.url()).search).toBe('')
})

test('another user is chosen from the users of the site', async () => {
  const { page, problems } = await logins.open()
  await page.getByRole('button', { name: /^More actions of/ }).click()
  await page.getByRole('menuitem', { name: 'Log in as…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('anna – Anna Weber (administrator)').waitFor({ state: 'attached' })
  await settled(page)
  const seen = await inspect(page)

  await dialog.getByLabel('WordPress user').selectOption({ label: 'ed (editor)' })
  const [tab] = await Promise.all([
    page.waitForEvent('popup'),
    dialog.getByRole('button', { name: 'Log in' }).click(),
  ])
  await tab.getByRole('heading', { name: 'WordPress' }).waitFor()
  await dialog.waitFor({ state: 'hidden' })

  expect(given.at(-1)).toMatchObject({ user_id: 7 })
  expect({ ...seen, problems }).toEqual(FLAWLESS)
})

test('a refused login closes its tab and says why', async () => {
  const { page } = await logins.open()
  const usual = agent.works.get('wp.login')
  agent.works.set('wp.login', async function* () {
    yield 'Preparing a login to shop.example'
    throw new Refused({ error: 'Conflict', message: 'shop.example has no administrator' })
  })

  const [tab] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('button', { name: 'Log in to WordPress' }).click(),
  ])
  await page.getByText('shop.example has no administrator').waitFor()

  expect(tab.isClosed()).toBe(true)
  if (usual) agent.works.set('wp.login', usual)
})

test('the page of the new tab alone asks for nothing and hands out nothing', async () => {
  const { page, problems } = await open('/handoff')

  await page.getByText('Log in from the page of a site in the dashboard.').waitFor()

  expect(problems).toEqual([])
})
