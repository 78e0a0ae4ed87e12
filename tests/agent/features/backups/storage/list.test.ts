import { expect, test } from 'bun:test'
import { listBackups } from '#agent/features/backups/storage/list.ts'
import { MAX_LISTED } from '#shared/backups/backup-find.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { savedSite, TARGET } from '#tests/support/agent/backup.ts'
import { passwordIdOf } from '#tests/support/repository-password.ts'

const repository = 'shop'
const WRONG = new Secret('wrong')
const idsOf = (passwords: Secret[]) => passwords.map((each) => passwordIdOf(each.reveal()))
const given = (...passwords: Secret[]) => ({
  ...{ target: TARGET, repository, passwords, password_ids: idsOf(passwords) },
})

/** A repository with one backup, of which restic lists these snapshots. */
async function listing(snapshots: (backup: string) => object[]) {
  const { host, restore } = await savedSite({})
  const { password, backup } = restore({ files: true, database: true })
  const command = '/var/lib/hosting-agent/bin/restic --retry-lock=480s snapshots'
  host.answer(command, JSON.stringify(snapshots(backup)))
  const list = (page: { before?: string } = {}) =>
    listBackups(host, { ...given(password), ...page })
  return { backup, list }
}

test('lists the complete backups of a repository with the password that opens it', async () => {
  const { host, restore } = await savedSite({ '/srv/www/shop/public/index.html': 'old' })
  const { password, backup } = restore({ files: true, database: true })

  const listed = await listBackups(host, given(WRONG, password))

  expect(listed).toEqual({
    ...{ password: 1, domain: 'shop.example', tables: 1, excluded: [] },
    backups: [
      { id: backup, at: '2026-01-01T00:00:00.000Z', files: 0, bytes: 0, stored: 0, seconds: 2 },
    ],
    next: null,
  })
  expect(host.disk.find('/var/lib/hosting-agent/backups/.storage/open')).toBeUndefined()
})

test('takes files and bytes from the snapshots of each backup', async () => {
  const part = (minute: number, tag: string, bytes: number, id = '') => ({
    ...{ id: id.padEnd(64, `${minute}`), time: `2026-03-01T01:0${minute}:00.5+01:00`, tags: [tag] },
    summary: {
      total_files_processed: 7,
      total_bytes_processed: bytes,
      data_added_packed: bytes / 10,
    },
  })
  const { backup, list } = await listing((own) => [
    part(0, 'files', 9000), // its backup was interrupted
    ...[part(1, 'database', 100), part(2, 'files', 1000), part(3, 'manifest', 1)],
    ...[part(4, 'files', 2000), part(5, 'manifest', 1, own)],
    part(6, 'database', 50), // running
  ])

  const { backups } = await list()

  expect(backups).toEqual([
    {
      ...{ id: backup, at: '2026-03-01T00:04:00.500Z', files: 7, bytes: 2000 },
      ...{ stored: 200, seconds: 60 },
    },
    {
      ...{ id: '3'.repeat(64), at: '2026-03-01T00:01:00.500Z', files: 7, bytes: 1100 },
      ...{ stored: 110, seconds: 120 },
    },
  ])
})

test('counts the parts that a manifest names, also after a clock change', async () => {
  const id = (digit: string) => digit.repeat(64)
  const part = (own: string, hour: number, tags: string[], bytes = 1) => ({
    ...{ id: own, time: `2025-12-31T0${hour}:00:00Z`, tags },
    summary: { total_files_processed: 7, total_bytes_processed: bytes, data_added_packed: bytes },
  })
  const { backup, list } = await listing((own) => [
    part(id('1'), 1, ['database'], 10),
    part(id('2'), 5, ['files'], 100), // the clock was ahead
    part(id('3'), 2, ['manifest', `part-${id('2')}`, `part-${id('1')}`]),
    part(id('4'), 3, ['database'], 20),
    part(id('5'), 4, ['files'], 200),
    part(own, 6, ['manifest', `part-${id('5')}`, `part-${id('4')}`]),
  ])

  const { backups } = await list()

  expect(backups).toEqual([
    {
      ...{ id: backup, at: '2025-12-31T03:00:00.000Z', files: 7, bytes: 220, stored: 220 },
      seconds: 3 * 3600,
    },
    {
      ...{ id: id('3'), at: '2025-12-31T01:00:00.000Z', files: 7, bytes: 110, stored: 110 },
      seconds: 3600,
    },
  ])
})

test('lists more backups than one answer has in pages, and none twice', async () => {
  const total = MAX_LISTED + 3
  const idOf = (at: number) => String(at).padStart(64, '0')
  const { list } = await listing((backup) =>
    Array.from({ length: total }, (_, index) => ({
      id: index + 1 === total ? backup : idOf(index + 1),
      time: new Date(Date.UTC(2020, 0, 1, index)).toISOString(),
      tags: ['manifest'],
    })),
  )

  const first = await list()
  const second = await list({ before: first.next ?? '' })

  expect([first.backups.length, first.next]).toEqual([MAX_LISTED, idOf(4)])
  expect([second.backups.map(({ id }) => id), second.next]).toEqual([[3, 2, 1].map(idOf), null])
  expect([first.domain, second.domain]).toEqual(['shop.example', 'shop.example'])
  const changed = 'The backups in the repository have changed meanwhile: list them again'
  for (const before of [idOf(1), 'f'.repeat(64)]) expect(list({ before })).rejects.toThrow(changed)
})

test('says when no password opens the repository, and when restic is missing', async () => {
  const { host } = await savedSite({})
  const list = () => listBackups(host, given(WRONG))

  expect(list()).rejects.toThrow('The password does not open the repository')
  await list().catch(() => undefined)
  host.disk.drop('/var/lib/hosting-agent/bin/restic')
  expect(list()).rejects.toThrow('restic is not installed on this server')
})

test('takes the site from the newest backup that is not dated in the future', async () => {
  const forged = 'f'.repeat(64)
  const { backup, list } = await listing((own) => [
    { id: own, time: '2025-12-31T00:00:00Z', tags: ['manifest'] },
    { id: forged, time: '2030-01-01T00:00:00Z', tags: ['manifest'] },
  ])

  const listed = await list()

  expect([listed.domain, listed.backups.map(({ id }) => id)]).toEqual([
    ...['shop.example', [forged, backup]],
  ])
})

test('opens a repository with a password that the server has, and says that it has none', async () => {
  const { host, restore } = await savedSite({})
  const { password, backup } = restore({ files: true, database: true })
  const list = (...ids: Secret[]) => listBackups(host, { ...given(...ids), passwords: [] })

  const listed = await list(WRONG, password)
  const none = await list(WRONG).catch((error) => error)

  expect([listed.password, listed.backups.map(({ id }) => id)]).toEqual([1, [backup]])
  expect(none.refusal).toBe('password_missing')
})
