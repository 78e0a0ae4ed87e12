// tier: gate
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { useBrowser } from '#tests/support/browser/pages.ts'
import { ADMIN } from '#tests/support/records.ts'
import { useDashboard } from '#tests/support/running.ts'

const dashboard = useDashboard()
const open = useBrowser(dashboard)
const place = { kind: 'local', path: '/mnt/store' }

const REFUSAL = {
  status: 409,
  json: { error: 'Conflict', message: 'Confirm your password first', code: 'confirmation_needed' },
}

/** The dashboard answers as if ten minutes had passed, until the password is confirmed. */
async function unconfirmed(page: Page, calls: string): Promise<void> {
  let confirmed = false
  await page.route('**/api/auth/confirm', async (route) => {
    const response = await route.fetch()
    confirmed ||= response.ok()
    await route.fulfill({ response })
  })
  await page.route(calls, (route) =>
    route.request().method() === 'GET' || confirmed ? route.continue() : route.fulfill(REFUSAL),
  )
}

test('a new backup target asks for the password above its form, and keeps what was typed', async () => {
  const { page } = await open('/backups?part=targets')
  await unconfirmed(page, '**/api/backup-targets')
  await page.getByRole('button', { name: 'Add target', exact: true }).first().click()
  const form = page.getByRole('dialog', { name: 'Add backup target' })
  await form.getByLabel('Name').fill('Store')
  await form.getByLabel('Kind').selectOption('local')
  await form.getByLabel('Folder').fill(place.path)
  await form.getByRole('button', { name: 'Add target', exact: true }).click()
  const prompt = page.getByRole('dialog', { name: 'Confirm your password' })
  const field = prompt.getByLabel('Your password of this dashboard')
  await field.fill('a wrong password')
  await prompt.getByRole('button', { name: 'Confirm password' }).click()
  await prompt.getByText('Is not the current password').waitFor()

  await field.fill(ADMIN.password)
  await prompt.getByRole('button', { name: 'Confirm password' }).click()

  await prompt.waitFor({ state: 'hidden' })
  await form.waitFor({ state: 'hidden' })
  const { body } = await dashboard.client().get('/api/backup-targets')
  expect(Object(body).targets).toMatchObject([{ name: 'Store', place }])
})

test('without the password nothing is changed, and the form stays', async () => {
  const { page } = await open('/backups?part=targets')
  await unconfirmed(page, '**/api/backup-targets/**')
  await page.getByRole('button', { name: 'More actions of Store' }).click()
  await page.getByRole('menuitem', { name: 'Edit target' }).click()
  const form = page.getByRole('dialog', { name: 'Edit Store' })
  await form.getByLabel('Name').fill('Storage')
  await form.getByRole('button', { name: 'Save target' }).click()
  const prompt = page.getByRole('dialog', { name: 'Confirm your password' })

  await prompt.getByRole('button', { name: 'Cancel' }).click()

  await form.getByText('Confirm your password first').waitFor()
  expect(await form.getByLabel('Name').inputValue()).toBe('Storage')
  const { body } = await dashboard.client().get('/api/backup-targets')
  expect(Object(body).targets).toMatchObject([{ name: 'Store' }])
})
