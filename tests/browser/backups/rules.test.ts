// tier: gate
import { beforeAll, expect, test } from 'bun:test'
import { callerOf, useBackups } from '#tests/support/browser/backups.ts'
import { FLAWLESS, inspect } from '#tests/support/browser/inspect.ts'
import { button } from '#tests/support/browser/pages.ts'
import { settled } from '#tests/support/browser/settled.ts'

const { dashboard, given, open } = useBackups()

beforeAll(async () => {
  const caller = callerOf(dashboard.client())
  const place = { kind: 'local', path: '/mnt/second' }
  await caller.call('POST', '/api/backup-targets', { name: 'Second', place })
  await (await caller.send('POST', '/api/servers/1/backup-check', { target_id: 2 })).text()
  await caller.call('PATCH', '/api/servers/1', { tags: ['clients'] })
})

test('a rule for a tag is added and changed, and the page of a site says that it uses it', async () => {
  const { page, problems } = await open('/backups?part=targets')
  await button(page, 'Add rule').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Tag').selectOption('clients')
  await dialog.getByLabel('Interval').selectOption('Weekly')
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)
  await button(page, 'Save rule').click()
  const row = page.getByRole('row', { name: 'clients' })
  await row.getByText('Weekly').waitFor()
  await button(page, 'Actions of the rule for clients').click()
  await page.getByRole('menuitem', { name: 'Edit rule' }).click()
  await dialog.getByLabel('Target').selectOption('Second')
  await dialog.getByLabel('Backups at the same time on a server').selectOption('2')
  await button(page, 'Save rule').click()
  await row.getByText('2 backups at the same time on a server').waitFor()
  await row.getByRole('cell', { name: 'Second', exact: true }).waitFor()
  await page.reload()
  await row.waitFor()
  await settled(page)
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)

  await page.goto('/sites/1?tab=backups')

  await page.getByText('Weekly · from the tag clients').waitFor()
  await page.getByText('Second · from the tag clients').waitFor()
  expect(problems).toEqual([])
})

test('a site gets its own schedule and leaves out paths, and is backed up to another target', async () => {
  const { page, problems } = await open('/sites/1?tab=backups')
  await button(page, 'Edit schedule').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Interval').selectOption('Daily')
  await dialog.getByLabel('Leave out').fill('/etc')
  await button(page, 'Save schedule').click()
  await dialog.getByText('Must be a path such as wp-content/uploads/videos').waitFor()
  expect({ ...(await inspect(page)), problems: [] }).toEqual(FLAWLESS)
  await dialog.getByLabel('Leave out').fill('wp-content/uploads/videos\n\n **/node_modules ')
  await button(page, 'Save schedule').click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('Daily · set for this site').waitFor()
  await page.getByText('**/node_modules', { exact: true }).waitFor()

  await button(page, 'Back up now').click()
  await page.getByRole('row').filter({ hasText: 'Second' }).waitFor()
  await button(page, 'Back up to another target').click()
  await page.getByRole('menuitem', { name: 'Back up to Backup server' }).click()
  await page.getByRole('row').filter({ hasText: 'Backup server' }).waitFor()
  const excluded = ['wp-content/uploads/videos', '**/node_modules']
  const made = given.flatMap((each) => (each['backup.create'] ? [each['backup.create']] : []))
  expect(made.map(({ exclude }) => exclude)).toEqual([excluded, excluded])
  const row = page.getByRole('row').filter({ hasText: 'Second' })
  await row.getByRole('button', { name: /^Restore the backup/ }).click()
  await dialog.getByText(`does not have them: ${excluded.join(', ')}`).waitFor()
  expect(problems.filter((each) => !each.includes('422'))).toEqual([])
})

test('a rule is removed', async () => {
  const { page, problems } = await open('/backups?part=targets')
  await button(page, 'Actions of the rule for clients').click()
  await page.getByRole('menuitem', { name: 'Remove rule' }).click()
  await page.getByText('There is no rule').waitFor()
  expect(problems).toEqual([])
})
