// tier: gate
import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { BackupEntry, BackupListing } from '#shared/backups/backup-read.ts'
import { callerOf, useBackups } from '#tests/support/browser/backups.ts'
import { FLAWLESS, inspect } from '#tests/support/browser/inspect.ts'
import { button } from '#tests/support/browser/pages.ts'
import { settled } from '#tests/support/browser/settled.ts'

const { agent, dashboard, given, open } = useBackups()

const at = '2026-01-01T00:00:00Z'
const entry = (name: string, kind: BackupEntry['kind'], can_choose = true) => ({
  ...{ name, kind, can_choose, at },
  size: 2000,
})
const FOLDERS: Record<string, BackupEntry[]> = {
  '': [
    entry('wp-content', 'directory'),
    entry('wp-config.php', 'file'),
    entry('a\nb', 'file', false),
  ],
  'wp-content': [entry('plugins', 'directory'), entry('uploads', 'directory')],
}

agent.plan = { steps: [{ name: 'fetch', title: 'Fetching the backup', effects: [] }] }
agent.answers.set('/backups/browse', async (request) => {
  const { path } = await request.json()
  const entries = FOLDERS[path] ?? []
  const tables = ['wp_options', 'wp_posts', 'wp_users']
  return Response.json({ entries, is_cut: false, tables } satisfies BackupListing)
})
const headers = { 'content-type': 'application/x-tar' }
agent.answers.set('/backups/download', () => new Response('an archive', { headers }))

beforeAll(async () => {
  const caller = callerOf(dashboard.client())
  const made = await caller.send('POST', '/api/servers/1/sites/1/backups', {})
  await made.text()
})

const restore = (page: Page) => button(page, 'Restore backup')

test('files, folders and tables are chosen in a backup, and restored alone', async () => {
  const { page, problems } = await open('/sites/1?tab=backups')
  await page.getByRole('button', { name: /^Restore the backup of/ }).click()
  const dialog = page.getByRole('dialog')
  await button(page, 'Choose parts').click()
  await dialog.getByText('wp-config.php').waitFor()
  expect(await restore(page).isDisabled()).toBe(true)
  await settled(page)
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)

  expect(await dialog.getByLabel(/^Restore a.b$/).isDisabled()).toBe(true)
  await dialog.getByLabel('Restore wp-config.php').check()
  await button(page, 'wp-content').click()
  await dialog.getByLabel('Restore uploads').check()
  await dialog.getByLabel('Restore plugins').check()
  await button(page, 'Do not restore wp-content/plugins').click()
  expect(await dialog.getByLabel('Restore plugins').isChecked()).toBe(false)
  await button(page, 'Tables').click()
  await dialog.getByLabel('Search tables').fill('post')
  await dialog.getByText('wp_options').waitFor({ state: 'detached' })
  await dialog.getByLabel('wp_posts').check()
  await button(page, 'Tables (1)').waitFor()
  await dialog.getByText('everything else stays as it is').waitFor()
  await dialog.getByText('Plan: 1 step').waitFor()
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)
  given.length = 0
  await restore(page).click()

  await page.getByText('Restored the backup of 1 Jan 2026').waitFor()
  expect(given[0]?.['backup.restore']?.parts).toEqual({
    ...{ files: true, database: true },
    ...{ paths: ['wp-config.php', 'wp-content/uploads'], tables: ['wp_posts'] },
  })
  expect(problems).toEqual([])
})

test('a folder, and all files of a backup, are downloaded', async () => {
  const { page, problems } = await open('/sites/1?tab=backups')
  const saved = async (click: () => Promise<void>) => {
    const [download] = await Promise.all([page.waitForEvent('download'), click()])
    const text = await Bun.file(await download.path()).text()
    return [download.suggestedFilename(), text]
  }
  await page.getByRole('button', { name: /^More actions of the backup/ }).click()
  const [name, text] = await saved(() =>
    page.getByRole('menuitem', { name: 'Download files' }).click(),
  )
  expect([name, text]).toEqual([
    expect.stringMatching(/^shop\.example-.*-files\.tar$/),
    'an archive',
  ])

  await page.getByRole('button', { name: /^Restore the backup of/ }).click()
  await button(page, 'Choose parts').click()
  const [folder] = await saved(() =>
    page.getByRole('button', { name: 'Download wp-content' }).click(),
  )
  expect(folder).toMatch(/^shop\.example-.*-wp-content\.tar$/)
  expect(problems).toEqual([])
})
