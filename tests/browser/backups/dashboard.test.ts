// tier: gate
import { beforeAll, expect, test } from 'bun:test'
import { callerOf } from '#tests/support/browser/backups.ts'
import { FLAWLESS, inspect } from '#tests/support/browser/inspect.ts'
import { button, useBrowser } from '#tests/support/browser/pages.ts'
import { settled } from '#tests/support/browser/settled.ts'
import { confirmKit } from '#tests/support/dashboard/backups.ts'
import { useDashboard } from '#tests/support/running.ts'

const dashboard = useDashboard()
const open = useBrowser(dashboard)

beforeAll(() => confirmKit(callerOf(dashboard.client())))

test('the target of the dashboard is added, is not one of the targets of sites, and is removed', async () => {
  const { page, problems } = await open('/backups?part=targets')
  await page.getByText('Not made: add a target for the dashboard first').waitFor()
  await button(page, 'Add target of the dashboard').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Address').fill('http://backup.example/dashboard/')
  await dialog.getByLabel('User').fill('dashboard')
  await dialog.getByLabel('Password').fill('a-password')
  await button(page, 'Save target').click()
  await dialog.getByText('Must begin with https://', { exact: true }).waitFor()
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)
  await dialog.getByLabel('Address').fill('https://backup.example:8000/dashboard/')
  await button(page, 'Save target').click()
  await dialog.waitFor({ state: 'detached' })

  await page.getByText('REST server, dashboard at backup.example:8000/dashboard').waitFor()
  await page.getByText('not checked').waitFor()
  await page.getByText('There is no backup target').waitFor()
  await button(page, 'Back up now').waitFor()

  await button(page, 'More actions of the backup of this dashboard').click()
  await page.getByRole('menuitem', { name: 'Remove target' }).click()
  await button(page, 'Remove target').click()
  await button(page, 'Add target of the dashboard').waitFor()
  await settled(page)
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)
})
