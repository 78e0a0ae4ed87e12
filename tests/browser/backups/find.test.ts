// tier: gate
import { beforeAll, expect, test } from 'bun:test'
import { fingerprintOf } from '#dashboard/kernel/trust/recovery-key.ts'
import type { ListedBackups } from '#shared/backups/backup-find.ts'
import { callerOf } from '#tests/support/browser/backups.ts'
import { useFleet } from '#tests/support/browser/fleet.ts'
import { FLAWLESS, inspect } from '#tests/support/browser/inspect.ts'
import { settled } from '#tests/support/browser/settled.ts'
import { backupAgent, checkedTarget, kit, sealed } from '#tests/support/dashboard/backups.ts'
import { rsa } from '#tests/support/key-pair.ts'

const { agent } = backupAgent()
const { dashboard, open } = useFleet({ agent })
const OLD = 'a-password-of-the-lost-dashboard'
const LISTED: ListedBackups = {
  password: 0,
  domain: 'shop.example',
  tables: 12,
  excluded: [],
  next: null,
  backups: [2, 1].map((day) => ({
    id: String(day).repeat(64),
    at: `2026-01-0${day}T00:00:00.000Z`,
    ...{ files: 10, bytes: 2000, stored: 300, seconds: 2 },
  })),
}
const asked: Record<string, unknown>[] = []

beforeAll(async () => {
  await checkedTarget(callerOf(dashboard.client()), 1)
  const other = rsa().publicKey
  const keys = (key: string) => [{ kit: fingerprintOf(key), sealed: sealed(OLD, key) }]
  agent.answers.set('/backups/find', async (request) => {
    const body = await request.json()
    asked.push(body)
    const repositories = [
      { name: 'blog_aaaa', keys: keys(other) },
      { name: 'gone_bbbb', keys: keys(kit.publicKey) },
      { name: 'shop_k3f9', keys: keys(kit.publicKey) },
    ]
    const named = repositories.filter(({ name }) => body.repositories?.includes(name))
    return Response.json({ is_listed: false, repositories: named, next: null, unnamed: 0 })
  })
  agent.answers.set('/backups/list', async (request) => {
    const body = await request.json()
    asked.push(body)
    if (body.repository === 'shop_k3f9') return Response.json(LISTED)
    const message = 'The repository has no complete backup'
    return Response.json({ error: 'Conflict', message }, { status: 409 })
  })
})

test('the backups of a lost dashboard are found with its kit, and can be restored', async () => {
  const { page, problems } = await open('/backups?part=targets')
  const sent: string[] = []
  page.on('request', (request) => sent.push(request.postData() ?? ''))
  await page.getByRole('button', { name: 'More actions of Backup server' }).click()
  await page.getByRole('menuitem', { name: 'Find existing backups' }).click()
  const dialog = page.getByRole('dialog')
  const find = dialog.getByRole('button', { name: 'Find backups' })
  await dialog.getByText('It uses the chosen one from now on').waitFor()
  expect(await find.isDisabled()).toBe(true)
  const choose = (text: string) =>
    dialog.getByLabel('Recovery kit').setInputFiles({
      ...{ name: 'kit.txt', mimeType: 'text/plain', buffer: Buffer.from(text) },
    })
  await choose('milk')
  await find.click()
  await dialog.getByText('The file has no private key').waitFor()
  await choose(`Hosting Control: recovery kit\n\n${kit.privateKey}`)
  await find.click()
  await dialog.getByText('The storage does not list its repositories').waitFor()
  await settled(page)
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)

  await dialog.getByLabel('Names of repositories').fill('shop_k3f9\ngone_bbbb blog_aaaa')
  await find.click()

  await dialog.getByText('The backups of 1 site are recorded').waitFor()
  const rows = await dialog.getByRole('row').allInnerTexts()
  expect(rows.slice(1).map((row) => row.replace(/\s+/g, ' ').trim())).toEqual([
    'blog_aaaa needs another kit',
    'gone_bbbb failed The repository has no complete backup',
    expect.stringMatching(/^shop\.example shop_k3f9 2 /),
  ])
  await settled(page)
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)
  if (Bun.env.SHOT) await page.screenshot({ path: `${Bun.env.SHOT}/find.png` })
  expect(asked.at(-1)).toMatchObject({ repository: 'shop_k3f9', passwords: [OLD] })
  expect(sent.join()).not.toMatch(/PRIVATE|a-password/)
  await dialog.getByRole('button', { name: 'Show backups' }).click()
  await page.getByRole('button', { name: 'Refresh list… of shop.example' }).click()
  await dialog.getByText('Choose one that reaches the storage').waitFor()
  await settled(page)
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)
  if (Bun.env.SHOT) await page.screenshot({ path: `${Bun.env.SHOT}/refresh.png` })
  LISTED.backups.splice(0, 1)
  const opened = Promise.withResolvers<void>()
  await page.route('**/api/fleet/backups*', async (route) => {
    await opened.promise
    await route.continue()
  })
  await dialog.getByRole('button', { name: 'Refresh list' }).click()
  await page.getByText('1 backup no longer stored').waitFor()
  await page.getByRole('button', { name: 'Restore shop.example as a new site' }).click()
  const address = page.getByRole('dialog').getByLabel('Address')
  await address.waitFor()
  opened.resolve()
  await page.locator('td', { hasText: /^1$/ }).waitFor()
  expect(await address.isVisible()).toBe(true)
  const { in_use } = Object((await dashboard.client().get('/api/backup-kit')).body)
  expect(in_use.fingerprint).toBe(fingerprintOf(kit.publicKey))
  expect(problems).toEqual([])
})
