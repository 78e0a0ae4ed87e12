// tier: full
import { expect, test } from 'bun:test'
import { CLEAN, inspect } from '#tests/support/browser/inspect.ts'
import { button, useBrowser } from '#tests/support/browser/pages.ts'
import { useDashboard } from '#tests/support/running.ts'

const dashboard = useDashboard()
const open = useBrowser(dashboard)

test('a service account gets a token for one tag, is deactivated for a while, and is removed', async () => {
  const { page, problems } = await open('/people')
  await dashboard.client().post('/api/servers', { hostname: 'web.example', tags: ['shop'] })
  const dialog = page.getByRole('dialog')
  const confirm = (name: string) => dialog.getByRole('button', { name, exact: true }).click()
  await button(page, 'Add service account').click()
  await dialog.getByLabel('Name').fill('ann@control.example')
  await confirm('Add service account')
  await dialog.getByText('Must have 1 to 64 letters').waitFor()
  await dialog.getByLabel('Name').fill('deploy robot')
  expect(await inspect(page)).toEqual(CLEAN)
  await confirm('Add service account')

  await button(page, 'Create token of deploy robot').click()
  await dialog.getByLabel('Name').fill('CI')
  await dialog.getByLabel('Only from these addresses').fill('office')
  await dialog.getByRole('button', { name: 'Limit to a tag, server or site' }).click()
  await dialog.getByLabel('Where').selectOption('The servers with a tag, and their sites')
  await dialog.getByRole('button', { name: 'shop' }).click()
  await confirm('Create token')
  await dialog.getByText('Must be an IP address or a network').waitFor()
  await dialog.getByLabel('Only from these addresses').fill('127.0.0.1/8 ::1')
  expect(await inspect(page)).toEqual(CLEAN)
  await confirm('Create token')
  const token = (await dialog.locator('code').textContent()) ?? ''
  const asks = async () =>
    (
      await fetch(`${dashboard.client().base}/api/token`, {
        headers: { authorization: `Bearer ${token}` },
      })
    ).status
  expect(await asks()).toBe(200)
  await confirm('Done')
  await page.getByText('Only for the servers with the tag shop').waitFor()
  await page.getByText('Only from 127.0.0.0/8, ::1').waitFor()
  expect(await inspect(page)).toEqual(CLEAN)

  await button(page, 'Deactivate deploy robot').click()
  await confirm('Deactivate service account')
  await page.getByText('deactivated', { exact: true }).waitFor()
  expect(await asks()).toBe(401)
  await button(page, 'Activate deploy robot').click()
  await confirm('Activate service account')
  await button(page, 'Deactivate deploy robot').waitFor()
  expect(await asks()).toBe(200)

  await button(page, 'Remove deploy robot').click()
  await confirm('Remove service account')
  await button(page, 'Create token of deploy robot').waitFor({ state: 'detached' })
  expect(await asks()).toBe(401)
  expect(problems).toEqual([])
})
