// tier: gate
import { expect, test } from 'bun:test'
import { foundSite, useFleet } from '#tests/support/browser/fleet.ts'
import { CLEAN, inspect } from '#tests/support/browser/inspect.ts'
import { button, signIn } from '#tests/support/browser/pages.ts'
import { watchRefusals } from '#tests/support/browser/press.ts'
import { settled } from '#tests/support/browser/settled.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'

const agent = new FakeAgent()
agent.sites = [foundSite('blog.example'), foundSite('shop.example')]
const { open } = useFleet({ agent })
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
  await page.getByLabel('E-mail address').fill('Administrator')
  await confirm('Create invitation')
  await page.getByText('Must be an e-mail address').waitFor()
  await page.getByLabel('E-mail address').fill(EMAIL)
  await page.getByLabel('Role in the whole fleet').selectOption('Viewer')
  await page.getByLabel('May see passwords and site contents').check()
  expect(await inspect(page)).toEqual(CLEAN)
  const dialog = await confirm('Create invitation')
  await page.getByText('The link was not mailed').waitFor()
  expect(await inspect(page)).toEqual(CLEAN)
  const link = (await dialog.locator('code').textContent()) ?? ''
  await confirm('Done')
  await card.getByText('invited', { exact: true }).waitFor()
  expect(await inspect(page)).toEqual(CLEAN)

  const colleague = await open(new URL(link).href, { signedIn: false })
  const other = colleague.page
  await other.getByText('Sees servers, sites and operations').waitFor()
  expect(await other.getByLabel('Name').inputValue()).toBe('Anna Weber')
  await other.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await other.getByLabel('Repeat password').fill('another one')
  await other.getByText('The passwords do not match').waitFor()
  await other.getByLabel('Repeat password').fill(PASSWORD)
  expect(await inspect(other)).toEqual(CLEAN)
  await other.keyboard.press('Enter')
  await other.waitForURL('**/login')
  await signIn(other, { email: EMAIL, password: PASSWORD })
  await other.getByRole('heading', { name: 'Overview' }).waitFor()

  await page.reload()
  await card.getByText('Viewer', { exact: true }).waitFor()
  await card.getByText('active', { exact: true }).waitFor()
  await button(page, 'Change rights of Anna Weber').click()
  await page.getByLabel('Role in the whole fleet').selectOption('Operator')
  expect(await inspect(page)).toEqual(CLEAN)
  await confirm('Save rights')
  await card.getByText('Operator', { exact: true }).waitFor()
  await button(page, 'Deactivate: Anna Weber').click()
  expect(await inspect(page)).toEqual(CLEAN)
  await confirm('Deactivate account')
  await card.getByText('deactivated', { exact: true }).waitFor()

  await other.waitForURL(/\/login/)
  await signIn(other, { email: EMAIL, password: PASSWORD })
  await other.getByText('Invalid email or password').waitFor()
  await other.goto(link)
  await other.getByText('This invitation is not valid').waitFor()
  expect(await inspect(other)).toEqual(CLEAN)
  await button(page, 'Remove account: Anna Weber').click()
  await confirm('Remove account')
  await page.getByText('Anna Weber cannot log in to this dashboard').waitFor()
  expect(await inspect(page)).toEqual(CLEAN)
  expect([problems, colleague.problems]).toEqual([[], []])
})

test('a colleague who is given one site sees only that, until it is taken away', async () => {
  const { page, problems } = await open('/people')
  const dialog = page.getByRole('dialog')
  const card = page.locator('section').filter({ hasText: 'ben@example.com' })
  await button(page, 'Invite person').click()
  await page.getByLabel('Name').fill('Ben Okafor')
  await page.getByLabel('E-mail address').fill('ben@example.com')
  await page.getByLabel('Role in the whole fleet').selectOption('None, only parts of the fleet')
  await page.getByLabel('Find a site').fill('shop')
  await page.getByLabel('Matching sites').getByText('shop.example').click()
  await dialog.getByText('Operator on the site shop.example').waitFor()
  const invitation = await inspect(page)
  await button(page, 'Create invitation').click()
  const link = (await dialog.locator('code').textContent()) ?? ''
  await button(page, 'Done').click()

  const { page: other, problems: others } = await open(new URL(link).href, { signedIn: false })
  const refusals = watchRefusals(other)
  await other.getByText('Operator on the site shop.example').waitFor()
  await other.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await other.getByLabel('Repeat password').fill(PASSWORD)
  await other.keyboard.press('Enter')
  await other.waitForURL('**/login')
  await signIn(other, { email: 'ben@example.com', password: PASSWORD })
  await other.getByRole('heading', { name: 'Overview' }).waitFor()
  const menu = await other
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link')
    .allInnerTexts()
  await other.getByRole('link', { name: 'Sites', exact: true }).click()
  await other.getByRole('grid', { name: 'Sites' }).getByText('shop.example').waitFor()
  const listed = await other
    .getByRole('grid', { name: 'Sites' })
    .locator('a[data-site]')
    .allInnerTexts()
  await other.getByText('shop.example').click()
  await other.getByRole('heading', { name: 'shop.example' }).waitFor()
  await settled(other)
  const seen = [...refusals]

  await page.reload()
  await card.getByRole('link', { name: 'the site shop.example' }).waitFor()
  await button(page, 'Change rights of Ben Okafor').click()
  await button(page, 'Remove: Operator on the site shop.example').click()
  await button(page, 'Save rights').click()

  await other.getByText('Nobody has given you access yet').waitFor()
  expect({ menu, listed, seen, invitation, problems: [...problems, ...others] }).toEqual({
    menu: ['Overview', 'Sites', 'Operations', 'Backups', 'Trash', 'Activity', 'API'],
    listed: ['shop.example'],
    seen: [],
    invitation: { light: [], dark: [], too_wide: [] },
    problems: [],
  })
})
