import { expect, test } from 'bun:test'
import { BackupBrowser, FolderListings } from '#agent/features/backups/read/browse.ts'
import { MAX_ENTRIES } from '#shared/backups/backup-read.ts'
import { savedSite } from '#tests/support/agent/backup.ts'
import { shop } from '#tests/support/agent/debian.ts'

const PUBLIC = '/srv/www/shop/public'
const at = '2026-01-01T00:00:00Z'

async function saved(names: readonly string[], max_text?: number) {
  const files = Object.fromEntries(names.map((name) => [`${PUBLIC}/uploads/${name}`, '']))
  const { host, restore } = await savedSite(files)
  const { parts: _, domain: __, ...backup } = restore({ files: true, database: false })
  const browser = new BackupBrowser(host, max_text)
  const opened = () => host.ran.filter((line) => line.includes('/bin/restic ')).length
  return { host, browser, opened, browse: (path: string) => browser.browse({ ...backup, path }) }
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
  const { browse } = await saved(Array.from({ length: MAX_ENTRIES + 1 }, (_, one) => `${one}`))

  expect((await browse('')).entries.map(({ name }) => name)).toContain('uploads')
  const { entries, is_cut } = await browse('uploads')
  expect([entries.length, is_cut]).toEqual([MAX_ENTRIES, true])
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

test('opens a backup once for all of its folders, until nobody has read it for 15 minutes', async () => {
  const { host, browser, browse, opened } = await saved(['a/x', 'b.jpg'])

  await Promise.all([browse(''), browse('uploads')])
  expect(await browse('uploads/a')).toMatchObject({ entries: [{ name: 'x' }] })
  expect(browse('uploads/c')).rejects.toThrow('uploads/c not found')
  // The manifest, and the tree.
  expect(opened()).toBe(2)

  host.time += 15 * 60_000
  browser.expire()
  await browse('uploads/a')
  expect(opened()).toBe(4)
})

test('groups the lines of a tree by folder, also where names are beginnings of others', () => {
  const folders = new FolderListings(1000)
  for (const [path, type] of [
    ...[['', 'dir'] as const, ['/a', 'dir'] as const, ['/a/b', 'dir'] as const],
    ...[['/a/b/c', 'file'] as const, ['/a/z', 'file'] as const, ['/a.txt', 'file'] as const],
  ]) {
    const name = path.split('/').at(-1) || 'public'
    const node = { message_type: 'node', name, type, path: `/public${path}`, mtime: at }
    folders.add(JSON.stringify(node))
  }
  folders.end()

  const names = (path: string) => folders.find(path)?.entries.map(({ name }) => name)
  expect(['', 'a', 'a/b', 'a.txt', 'a/z'].map(names)).toEqual([
    ...[['a', 'a.txt'], ['b', 'z'], ['c']],
    ...[undefined, undefined],
  ])
  expect(folders.is_whole).toBe(true)
})

test('of a tree that is too large, the folders that have no place are left out', () => {
  const folders = new FolderListings(150)
  for (const path of ['/public', '/public/a', '/public/a/x', '/public/y']) {
    const name = path.split('/').at(-1)
    const type = name && 'xy'.includes(name) ? 'file' : 'dir'
    folders.add(JSON.stringify({ message_type: 'node', name, type, path, mtime: at }))
  }
  folders.end()

  expect([folders.find('a')?.entries.length, folders.find(''), folders.is_whole]).toEqual([
    ...[1, undefined],
    false,
  ])
})

test('asks restic for each folder that has no place in memory', async () => {
  const { browse, opened } = await saved(['a/x'], 10)

  expect(await browse('uploads/a')).toMatchObject({ entries: [{ name: 'x' }], is_cut: false })
  expect(opened()).toBe(3)
  expect(await browse('uploads')).toMatchObject({ entries: [{ name: 'a' }] })
  expect(browse('uploads/c')).rejects.toThrow('uploads/c not found')
  await browse('').catch(() => undefined)
  expect(opened()).toBe(6)
})
