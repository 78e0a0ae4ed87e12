// tier: gate
import { beforeAll, expect, test } from 'bun:test'
import { useBackups } from '#tests/support/browser/backups.ts'
import { FLAWLESS, inspect } from '#tests/support/browser/inspect.ts'
import { button } from '#tests/support/browser/pages.ts'
import { settled } from '#tests/support/browser/settled.ts'
import { PROOF } from '#tests/support/dashboard/backups.ts'

const { agent, dashboard, open } = useBackups({ now: () => new Date() })

beforeAll(async () => {
  await dashboard.client().post('/api/servers/1/sites/1/backups', {})
})

test('a backup is proven on the page of its site, which shows what was found', async () => {
  const { page, problems } = await open('/sites/1?tab=backups')
  await page.getByText('No backup has been proven yet').waitFor()
  const row = page.getByRole('row').filter({ hasText: 'Backup server' })
  await row.getByText('Not tried yet').filter({ visible: true }).waitFor()

  await button(page, 'Prove now').click()

  await row.getByText('/ is answered with 500').filter({ visible: true }).waitFor()
  await page.getByText('the backup has findings').waitFor()
  await settled(page)
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)

  await page.goto('/backups')
  await page.getByText('The last proof of 1 site had findings').waitFor()
  await settled(page)
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)
})

test('a proven backup says when, and what was restored', async () => {
  agent.works.set('backup.prove', async function* ({ domain, backup }) {
    yield 'Restoring the files'
    const at = '2026-11-22T02:00:00.000Z'
    const pages = ['/', '/wp-login.php', '/feed/'].map((path) => ({ path, status: 200 }))
    const counts = { files: 1204, tables: 12, rows: 5210 }
    const proof = { ...PROOF, ...counts, at, backup, pages, proven: true, findings: [] }
    return { status: 'ok', domain, proof }
  })
  const { page, problems } = await open('/sites/1?tab=backups')

  await button(page, 'Prove now').click()

  await page
    .getByText('22 Nov 2026: 1,204 files, 12 tables, 3 pages')
    .filter({ visible: true })
    .waitFor()
  await page.getByText('the backup is complete and works').waitFor()
  await settled(page)
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)
  await page.goto('/backups')
  const cells = page.getByRole('row').filter({ hasText: 'shop.example' }).getByRole('cell')
  await cells.nth(2).getByText('Backed up').waitFor()
  expect(problems).toEqual([])
})

test('the dialog that deletes a site says how old its last backup is', async () => {
  const { page, problems } = await open('/sites/1')
  await button(page, 'More actions of shop.example').click()
  await page.getByRole('menuitem', { name: 'Delete site' }).click()
  const dialog = page.getByRole('dialog')

  await dialog.getByText(/^Last backup: .*, proven$/).waitFor()

  await button(page, 'Cancel').click()
  await dialog.waitFor({ state: 'detached' })
  await page.clock.install({ time: Date.now() + 3 * 24 * 3600_000 })
  await page.reload()
  await button(page, 'More actions of shop.example').click()
  await page.getByRole('menuitem', { name: 'Delete site' }).click()
  await dialog.getByText('The site is backed up first').waitFor()
  await dialog.getByText('The operation waits for the backup of shop.example.').waitFor()
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)
})
