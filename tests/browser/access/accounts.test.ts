// tier: gate
import { expect, test } from 'bun:test'
import { inspect } from '#tests/support/browser/inspect.ts'
import { button, signIn, useBrowser } from '#tests/support/browser/pages.ts'
import { useDashboard } from '#tests/support/running.ts'

const dashboard = useDashboard()
const open = useBrowser(dashboard)
const EMAIL = 'anna@example.com'
const PASSWORD = 'an own long password'

test('a colleague is invited, accepts in another browser, and is out when deactivated', async () => {
  const { page, problems } = await open('/people')
  const card = page.locator('section').filter({ hasText: EMAIL })
  const confirm = async (name: string) => {
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name, exact: true }).click()
    return dialog
  }
  await page.getByText('Does all work, invites people').waitFor()
  await button(page, 'Invite person').click()
  await page.getByLabel('Name').fill('Anna Weber')
  await page.getByLabel('Email').fill('Administrator')
  await confirm('Create invitation')
  await page.getByText('Must be an e-mail address').waitFor()
  await page.getByLabel('Email').fill(EMAIL)
  await page.getByLabel('Role', { exact: true }).selectOption('Viewer')
  await page.getByLabel('May see passwords and site contents').check()
  await inspect(page)
  const dialog = await confirm('Create invitation')
  await page.getByText('The link was not mailed').waitFor()
  await inspect(page)
  const link = (await dialog.locator('code').textContent()) ?? ''
  await confirm('Done')
  await card.getByText('invited', { exact: true }).waitFor()
  await inspect(page)

  const colleague = await open(new URL(link).href, { signedIn: false })
  const other = colleague.page
  await other.getByText('Sees servers, sites and operations').waitFor()
  expect(await other.getByLabel('Name').inputValue()).toBe('Anna Weber')
  await other.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await other.getByLabel('Repeat password').fill('another one')
  await other.getByText('The passwords do not match').waitFor()
  await other.getByLabel('Repeat password').fill(PASSWORD)
  await inspect(other)
  await other.keyboard.press('Enter')
  await other.waitForURL('**/login')
  await signIn(other, { email: EMAIL, password: PASSWORD })
  await other.getByRole('heading', { name: 'Overview' }).waitFor()

  await page.reload()
  await card.getByText('Viewer', { exact: true }).waitFor()
  await card.getByText('active', { exact: true }).waitFor()
  await button(page, 'Change role of Anna Weber').click()
  await page.getByLabel('Role', { exact: true }).selectOption('Operator')
  await inspect(page)
  await confirm('Change role')
  await card.getByText('Operator', { exact: true }).waitFor()
  await button(page, 'Deactivate: Anna Weber').click()
  await inspect(page)
  await confirm('Deactivate account')
  await card.getByText('deactivated', { exact: true }).waitFor()

  await other.waitForURL(/\/login/)
  await signIn(other, { email: EMAIL, password: PASSWORD })
  await other.getByText('Invalid email or password').waitFor()
  await other.goto(link)
  await other.getByText('This invitation is not valid').waitFor()
  await inspect(other)
  await button(page, 'Remove account: Anna Weber').click()
  await confirm('Remove account')
  await page.getByText('Anna Weber cannot log in to this dashboard').waitFor()
  await inspect(page)
  expect([problems, colleague.problems]).toEqual([[], []])
})
