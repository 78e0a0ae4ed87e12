// tier: full
import { expect, test } from 'bun:test'
import { CLEAN, inspect } from '#tests/support/browser/inspect.ts'
import { button, useBrowser } from '#tests/support/browser/pages.ts'
import { useDashboard } from '#tests/support/running.ts'

const dashboard = useDashboard()
const open = useBrowser(dashboard)

test('an owner adds rules, and a change that breaks one is refused where it is made', async () => {
  await dashboard.client().post('/api/servers', { hostname: 'web.example', tags: ['shop'] })
  const robot = { name: 'robot', role: null, parts: [{ gives: 'operator', tag: 'shop' }] }
  await dashboard.client().post('/api/service-accounts', robot)
  const { page, problems } = await open('/people')
  const dialog = page.getByRole('dialog')
  const confirm = (name: string) => dialog.getByRole('button', { name, exact: true }).click()
  await page.getByText('No rules yet').waitFor()
  expect(await inspect(page)).toEqual(CLEAN)

  await button(page, 'Add rule').click()
  await confirm('Write as a line')
  await dialog.getByLabel('Rule', { exact: true }).fill('robot can site.restart@*')
  await confirm('Add rule')
  await dialog.getByText('What: site.restart is neither a type of operation').waitFor()
  await dialog.getByLabel('Rule', { exact: true }).fill('robot cannot site.update@*')
  await confirm('Add rule')
  await dialog.getByText('robot can do it on the tag shop').waitFor()
  await confirm('Choose')
  await dialog.getByLabel('Account').selectOption('robot, a service account')
  await dialog.getByLabel('What').selectOption('Do the everyday work (operate)')
  await dialog.getByLabel('Where').selectOption('The servers with a tag, and their sites')
  await dialog.getByRole('button', { name: 'shop' }).click()
  expect(await inspect(page)).toEqual(CLEAN)
  await confirm('Add rule')
  await page.getByText('robot can operate@tag:shop').waitFor()

  await button(page, 'Remove robot').click()
  await confirm('Remove service account')
  await dialog.getByText('"robot can operate@tag:shop": robot is not in use').waitFor()
  await confirm('Cancel')
  await button(page, 'Delete rule: robot can operate@tag:shop').click()
  await confirm('Delete rule')
  await page.getByText('No rules yet').waitFor()
  await button(page, 'Remove robot').click()
  await confirm('Remove service account')
  await button(page, 'Remove robot').waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})

test('a change of a group that breaks a rule names it in the dialog, and the group stays', async () => {
  const client = dashboard.client()
  await client.post('/api/servers', { hostname: 'blog.example', tags: ['blog'] })
  const made = await client.post('/api/service-accounts', { name: 'writer', role: null })
  const { service_account } = Object(made.body)
  await client.post('/api/groups', {
    name: 'Blog team',
    parts: [{ gives: 'operator', tag: 'blog' }],
    members: [service_account.id],
  })
  await client.post('/api/policy/rules', { rule: 'writer can operate@tag:blog' })
  const { page, problems } = await open('/people')
  const dialog = page.getByRole('dialog')
  const confirm = (name: string) => dialog.getByRole('button', { name, exact: true }).click()
  const broken = dialog.getByText(
    '"writer can operate@tag:blog": writer cannot do it on the server',
  )

  await button(page, 'Change Blog team').click()
  await dialog.getByLabel('writer').uncheck()
  await confirm('Save changes')
  await broken.waitFor()
  expect(await inspect(page)).toEqual(CLEAN)
  await confirm('Cancel')
  await button(page, 'Remove Blog team').click()
  await confirm('Remove group')
  await broken.waitFor()
  expect(await inspect(page)).toEqual(CLEAN)
  await confirm('Cancel')

  await button(page, 'Delete rule: writer can operate@tag:blog').click()
  await confirm('Delete rule')
  await page.getByText('No rules yet').waitFor()
  await button(page, 'Remove Blog team').click()
  await confirm('Remove group')
  await page.getByText('No groups yet').waitFor()
  expect(problems).toEqual([])
})
