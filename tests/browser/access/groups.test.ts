// tier: full
import { expect, test } from 'bun:test'
import { CLEAN, inspect } from '#tests/support/browser/inspect.ts'
import { button, signIn, useBrowser } from '#tests/support/browser/pages.ts'
import { useDashboard } from '#tests/support/running.ts'

const dashboard = useDashboard()
const open = useBrowser(dashboard)
const EMAIL = 'anna@example.com'
const PASSWORD = 'an own long password'

/** Makes an account that sees one server, which has no tag. */
async function addAnna(): Promise<void> {
  const post = async (path: string, body: object) =>
    Object((await dashboard.client().post(path, body)).body)
  const { person } = await post('/api/people', { name: 'Anna Weber' })
  const { invitation } = await post(`/api/people/${person.id}/invitation`, {
    email: EMAIL,
    role: null,
    parts: [{ gives: 'viewer', server_id: 1 }],
  })
  const [, token] = invitation.link.split('#')
  await post('/api/invitations/accept', { token, name: 'Anna', password: PASSWORD })
}

test('members of a group see what it gives them, until it is removed', async () => {
  const client = dashboard.client()
  for (const [name, tags] of [
    ['first', []],
    ['tagged', ['shop']],
    ['other', []],
  ] as const)
    await client.post('/api/servers', { name, hostname: `${name}.example`, tags })
  await addAnna()
  const { page, problems } = await open('/people')
  const dialog = page.getByRole('dialog')
  const confirm = (name: string) => dialog.getByRole('button', { name, exact: true }).click()
  await page.getByText('No groups yet').waitFor()
  expect(await inspect(page)).toEqual(CLEAN)
  await button(page, 'Create group').click()
  await dialog.getByLabel('Name').fill('shop@team')
  await dialog.getByLabel('Grant', { exact: true }).selectOption('Operator')
  await dialog.getByLabel('Where').selectOption('The servers with a tag, and their sites')
  await dialog.getByRole('button', { name: 'shop' }).click()
  await dialog.getByLabel('Anna Weber').check()
  await confirm('Create group')
  await dialog.getByText('Must have 1 to 64 letters').waitFor()
  await dialog.getByLabel('Name').fill('Shop team')
  expect(await inspect(page)).toEqual(CLEAN)
  await confirm('Create group')
  await button(page, 'Change Shop team').waitFor()
  await page.getByText('By groups', { exact: true }).waitFor()
  expect(await inspect(page)).toEqual(CLEAN)

  const member = await open('/login', { signedIn: false })
  await signIn(member.page, { email: EMAIL, password: PASSWORD })
  await member.page.getByRole('heading', { name: 'Overview' }).waitFor()
  await member.page.goto('/servers')
  await member.page.getByRole('link', { name: 'tagged' }).waitFor()
  expect(await member.page.getByText('other.example').count()).toBe(0)

  await button(page, 'Change Shop team').click()
  await dialog.getByLabel('Anna Weber').uncheck()
  await confirm('Save changes')
  await member.page.getByRole('link', { name: 'tagged' }).waitFor({ state: 'detached' })
  await member.page.getByRole('link', { name: 'first' }).waitFor()

  await page.getByText('None yet.').waitFor()
  await button(page, 'Remove Shop team').click()
  await confirm('Remove group')
  await page.getByText('No groups yet').waitFor()
  expect([problems, member.problems]).toEqual([[], []])
})

test('an invitation names a group, which the invited person sees', async () => {
  await dashboard.client().post('/api/groups', { name: 'Care', role: 'viewer' })
  const { page, problems } = await open('/people')
  const dialog = page.getByRole('dialog')
  await button(page, 'Invite person').click()
  await dialog.getByLabel('Name', { exact: true }).fill('Kim Lee')
  await dialog.getByLabel('E-mail address').fill('kim@example.com')
  await dialog.getByLabel('Care').check()
  expect(await inspect(page)).toEqual(CLEAN)
  await dialog.getByRole('button', { name: 'Create invitation' }).click()
  const link = await dialog.locator('code').first().textContent()
  await dialog.getByRole('button', { name: 'Done' }).click()

  const { pathname, hash } = new URL(link ?? '')
  const invited = await open(`${pathname}${hash}`, { signedIn: false })
  await invited.page.getByText('You become a member of Care.').waitFor()
  expect(await inspect(invited.page)).toEqual(CLEAN)
  expect([problems, invited.problems]).toEqual([[], []])
})
