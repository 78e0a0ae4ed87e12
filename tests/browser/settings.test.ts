import { expect, test } from 'bun:test'
import { signIn, useBrowser } from '#tests/support/browser/pages.ts'
import { Client } from '#tests/support/client.ts'
import { ADMIN } from '#tests/support/processes.ts'
import { useDashboard } from '#tests/support/running.ts'

const dashboard = useDashboard()
const open = useBrowser(dashboard)

test('a setting is saved on its own, and says what is wrong with a value', async () => {
  const { page, problems } = await open('/settings')
  const interval = page.getByLabel('Time between syncs')
  await interval.fill('-5')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Must be a positive integer').waitFor()

  await interval.fill('90')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Each server is looked at every 1 min 30 s').waitFor()

  const { body } = await dashboard.client().get('/api/settings')
  expect(body).toMatchObject({ settings: { sync_interval: 90 } })
  await page.goto('/activity')
  await page.getByRole('cell', { name: 'Change setting' }).first().waitFor()
  expect(problems).toEqual([])
})

test('a token is shown once, works, and is deleted again', async () => {
  const { page, problems } = await open('/account')
  const asks = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` }
    return (await new Client(dashboard.running().url).send({ path: '/api/auth/me', headers }))
      .status
  }
  await page.getByRole('button', { name: 'Create token' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('deploy script')
  await dialog.getByRole('button', { name: 'Create token' }).click()
  const token = (await dialog.locator('code').textContent()) ?? ''
  expect(await asks(token)).toBe(200)
  await dialog.getByRole('button', { name: 'I have it' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await page.content()).not.toContain(token)

  await page.getByRole('button', { name: 'Delete the token deploy script' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete token' }).click()

  await page.getByRole('cell', { name: 'deploy script' }).waitFor({ state: 'detached' })
  expect(await asks(token)).toBe(401)
  expect(problems).toEqual([])
})

test('a password is changed, and somebody who signs out everywhere signs in with it', async () => {
  const { page, problems } = await open('/account', { signedIn: false })
  await signIn(page)
  const password = 'a new and long password'
  const fill = async (current: string) => {
    await page.getByLabel('Current password').fill(current)
    await page.getByLabel('New password', { exact: true }).fill(password)
    await page.getByLabel('New password once more').fill(password)
    await page.getByRole('button', { name: 'Change password' }).click()
  }
  await fill('not the password')
  await page.getByText('Is not the current password').waitFor()
  await fill(ADMIN.password)
  await page.getByText('The password is changed').waitFor()

  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.waitForURL('**/login')
  await signIn(page, { email: ADMIN.email, password })

  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  expect(problems).toEqual([])
})
