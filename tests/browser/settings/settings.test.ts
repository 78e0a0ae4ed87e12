// tier: gate
import { expect, test } from 'bun:test'
import { signIn, useBrowser } from '#tests/support/browser/pages.ts'
import { Client } from '#tests/support/client.ts'
import { ADMIN } from '#tests/support/processes.ts'
import { useDashboard } from '#tests/support/running.ts'

const dashboard = useDashboard()
const open = useBrowser(dashboard)

/** The status that a script with this token gets. */
async function asks(token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` }
  return (await new Client(dashboard.running().url).send({ path: '/api/auth/me', headers })).status
}

test('a setting is saved on its own, and reports an invalid value', async () => {
  const { page, problems } = await open('/settings')
  const interval = page.getByLabel('Sync interval')
  await interval.waitFor()
  await page.getByText('No mail can be sent').waitFor()
  await interval.fill('-5')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Must be a positive integer').waitFor()

  await interval.fill('90')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Each server is synced every 1 min 30 s').waitFor()

  const { body } = await dashboard.client().get('/api/settings')
  expect(body).toMatchObject({ settings: { sync_interval: 90 } })
  await page.goto('/activity')
  await page.getByRole('cell', { name: 'Change setting' }).first().waitFor()
  expect(problems).toEqual([])
})

test('the interval of requests from outside is chosen from a list', async () => {
  const { page, problems } = await open('/settings')
  const interval = page.getByLabel('Request sites from outside')
  await interval.waitFor()
  expect(await interval.inputValue()).toBe('Every 5 minutes')

  await interval.selectOption('Never')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('status').filter({ hasText: 'Request sites from outside' }).waitFor()

  const { body } = await dashboard.client().get('/api/fleet/settings')
  expect(Object(body).settings).toMatchObject({ visit_interval: 0 })
  expect(problems).toEqual([])
})

test('the licenses of the software that the pages contain are one link away', async () => {
  const { page, problems } = await open('/settings')

  await page.getByRole('link', { name: 'Third-party notices' }).click()

  await page.getByText('react-dom ').waitFor()
  expect(problems).toEqual([])
})

test('unattended security updates are turned off and on again', async () => {
  const stored = async () => {
    const { body } = await dashboard.client().get('/api/fleet/settings')
    return Object(Object(body).settings).unattended_updates
  }
  const { page, problems } = await open('/settings')
  const box = page.getByRole('checkbox', { name: 'Unattended security updates' })
  await box.waitFor()
  expect(await box.isChecked()).toBe(true)

  await box.click()
  await page.getByRole('status').filter({ hasText: 'Unattended security updates' }).waitFor()
  expect(await stored()).toBe(false)
  await page.reload()
  await box.waitFor()
  expect(await box.isChecked()).toBe(false)

  await box.click()
  await page.getByRole('status').filter({ hasText: 'Unattended security updates' }).waitFor()
  expect(await stored()).toBe(true)
  expect(await page.getByRole('dialog').count()).toBe(0)
  expect(problems).toEqual([])
})

test('a token is shown once, works, and is deleted again', async () => {
  const { page, problems } = await open('/account')
  await page.getByRole('button', { name: 'Create token' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('deploy script')
  await dialog.getByLabel('Scope').selectOption('read')
  await dialog.getByText('Reads everything except passwords').waitFor()
  await dialog.getByLabel('Expires after').selectOption('30 days')
  await dialog.getByLabel('Only from these addresses').fill('127.0.0.1/8\n::1')
  await dialog.getByLabel('Your password').fill('not the password')
  await dialog.getByRole('button', { name: 'Create token' }).click()
  await dialog.getByText('Is not the current password').waitFor()
  await dialog.getByLabel('Your password').fill(ADMIN.password)
  await dialog.getByRole('button', { name: 'Create token' }).click()
  const token = (await dialog.locator('code').textContent()) ?? ''
  expect(await asks(token)).toBe(200)
  await dialog.getByRole('button', { name: 'Done' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await page.content()).not.toContain(token)
  const { body } = await dashboard.client().get('/api/auth/tokens')
  const day = (ms: number) => new Date(Date.now() + ms).toISOString().slice(0, 10)
  expect(body).toMatchObject({
    tokens: [{ scope: 'read', expires_at: expect.stringContaining(day(30 * 24 * 3600_000)) }],
  })
  await page.getByText('Only from 127.0.0.0/8, ::1').waitFor()

  await page.getByRole('button', { name: 'Delete the token deploy script' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete token' }).click()

  // Behind an open dialog the table has no roles: its cells would seem to be gone already.
  await page.getByText('The token deploy script is deleted').first().waitFor()
  await page.getByRole('cell', { name: 'deploy script' }).waitFor({ state: 'detached' })
  expect(await asks(token)).toBe(401)
  expect(problems).toEqual([])
})

test('a changed password works after signing out everywhere', async () => {
  const { page, problems } = await open('/account', { signedIn: false })
  await signIn(page)
  const created = { name: 'script', password: ADMIN.password }
  const { body } = await dashboard.client().post('/api/auth/tokens', created)
  const { plaintext } = body as { plaintext: string }
  expect(await asks(plaintext)).toBe(200)
  const password = 'a new and long password'
  const fill = async (current: string) => {
    await page.getByLabel('Current password').fill(current)
    await page.getByLabel('New password', { exact: true }).fill(password)
    await page.getByLabel('Repeat new password').fill(password)
    await page.getByLabel('Also end all API tokens').check()
    await page.getByRole('button', { name: 'Change password' }).click()
  }
  await fill('not the password')
  await page.getByText('Is not the current password').waitFor()
  await fill(ADMIN.password)
  await page.getByText('The password is changed').waitFor()
  expect(await asks(plaintext)).toBe(401)

  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.waitForURL('**/login')
  await signIn(page, { email: ADMIN.email, password })

  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  expect(problems).toEqual([])
})
