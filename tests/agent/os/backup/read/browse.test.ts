import { expect, test } from 'bun:test'
import { browseBackup } from '#agent/os/backup/read/browse.ts'
import { MOST_ENTRIES } from '#shared/backup-read.ts'
import { savedSite } from '#tests/support/agent/backup.ts'
import { shop } from '#tests/support/agent/debian.ts'

const PUBLIC = '/srv/www/shop/public'
const at = '2026-01-01T00:00:00Z'

async function saved(names: readonly string[]) {
  const files = Object.fromEntries(names.map((name) => [`${PUBLIC}/uploads/${name}`, '']))
  const { host, restore } = await savedSite(files)
  const { parts: _, domain: __, ...backup } = restore({ files: true, database: false })
  return { host, browse: (path: string) => browseBackup(host, { ...backup, path }) }
}

test('lists a folder, folders first, the tables of the backup, and its site', async () => {
  const { host, browse } = await saved(['b.jpg', 'a/x', 'new\nline', 'bad\ufffd'])

  expect(await browse('uploads')).toEqual({
    entries: [
      { name: 'a', kind: 'directory', size: 0, at, can_choose: true },
      { name: 'b.jpg', kind: 'file', size: 0, at, can_choose: true },
      { name: 'bad\ufffd', kind: 'file', size: 0, at, can_choose: false },
      { name: 'new\nline', kind: 'file', size: 0, at, can_choose: false },
    ],
    is_cut: false,
    tables: ['wp_options'],
    site: { php: shop.php, tier: shop.tier, tls: shop.tls, email: shop.email },
  })
  expect(host.disk.find('/var/lib/hosting-agent/backups/.browse/open')).toBe(undefined)
})

test('lists the public folder, and at most 1,000 entries', async () => {
  const { browse } = await saved(Array.from({ length: MOST_ENTRIES + 1 }, (_, one) => `${one}`))

  expect((await browse('')).entries.map(({ name }) => name)).toContain('uploads')
  const { entries, is_cut } = await browse('uploads')
  expect([entries.length, is_cut]).toEqual([MOST_ENTRIES, true])
})

test('does not know a folder that the backup does not have, and closes it', async () => {
  const { host, browse } = await saved(['file'])

  expect(browse('nothing')).rejects.toThrow('nothing not found')
  expect(browse('uploads/file')).rejects.toThrow('uploads/file not found')
  await browse('').catch(() => undefined)
  expect(host.disk.find('/var/lib/hosting-agent/backups/.browse/open')).toBe(undefined)
})

test('needs restic on the server', async () => {
  const { host, browse } = await saved([])
  host.disk.drop('/var/lib/hosting-agent/bin/restic')

  expect(browse('')).rejects.toThrow('restic is not installed on this server')
})
