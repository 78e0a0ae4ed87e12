// tier: gate
import { expect, test } from 'bun:test'
import { useBackups } from '#tests/support/browser/backups.ts'
import { FLAWLESS, inspect } from '#tests/support/browser/inspect.ts'
import { button } from '#tests/support/browser/pages.ts'
import { settled } from '#tests/support/browser/settled.ts'

const { agent, given, open } = useBackups()

test('a site is backed up, restored from the chosen parts, and the restore is undone', async () => {
  agent.plan = {
    steps: [{ name: 'fetch', title: 'Fetching the backup', effects: [] }],
  }
  const { page, problems } = await open('/sites/1?tab=backups')
  given.length = 0

  await button(page, 'Back up now').click()
  const row = page.getByRole('row').filter({ hasText: 'Backup server' })
  await row.waitFor()
  const cells = await row.getByRole('cell').allTextContents()
  expect(cells.slice(1, 8)).toEqual([
    'Backup server',
    'Not tried yet',
    '10',
    '12',
    '2 kB',
    '300 B',
    '2 s',
  ])
  await settled(page)
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)
  await row.getByRole('button', { name: /^Restore the backup/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Plan: 1 step').waitFor()
  await button(page, 'Database only').click()
  await dialog.getByText('such as orders and comments').waitFor()
  await dialog.getByText('Plan: 1 step').waitFor()
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)
  await button(page, 'Restore backup').click()
  await page.getByRole('heading', { name: 'Restore a backup of shop.example' }).waitFor()
  await page.getByText('Restored the backup of 1 Jan 2026').waitFor()
  await button(page, 'Undo restore').click()
  await button(page, 'Undo restore').last().click()

  await page.getByText('Restored the backup of').waitFor({ state: 'detached' })
  expect(given.map((each) => Object.keys(each)[0])).toEqual([
    ...['backup.create', 'backup.restore', 'backup.undo'],
  ])
  expect(given[1]?.['backup.restore']?.parts).toEqual({ files: false, database: true })
  expect(problems).toEqual([])
})
