import { expect, test } from 'bun:test'
import { Disk } from '#agent/kernel/host/simulated/disk.ts'
import { EMPTY, file, folder, sharedFolder } from '#agent/kernel/host/simulated/nodes.ts'

const themes = sharedFolder([['style.css', file('/* one */')]])
const content = sharedFolder([['themes', themes]])

test('a change of one site in a shared folder stays its own', async () => {
  const disk = new Disk(() => 0)
  disk.put('/srv/one', folder([['wp-content', content]]))
  disk.put('/srv/two', folder([['wp-content', content]]))
  await disk.write('/srv/one/wp-content/themes/style.css', '/* mine */')
  await disk.write('/srv/one/wp-content/new.php', '<?php')
  await disk.remove('/srv/one/wp-content/themes/style.css')
  await disk.write('/srv/one/logs/error.log', 'first')

  expect(disk.text('/srv/two/wp-content/themes/style.css')).toBe('/* one */')
  expect(disk.names('/srv/one/wp-content')).toEqual(['themes', 'new.php'])
  expect(disk.names('/srv/one/wp-content/themes')).toEqual([])
  expect(disk.names('/srv/two/wp-content')).toEqual(['themes'])
})

test('a shared empty folder can be filled for one site', async () => {
  const disk = new Disk(() => 0)
  disk.put('/one', EMPTY)
  disk.put('/two', EMPTY)
  await disk.append('/one/log', 'a')
  await disk.append('/one/log', 'b')

  expect([disk.text('/one/log'), disk.names('/two')]).toEqual(['ab', []])
})

test('a folder moves with its content', async () => {
  const disk = new Disk(() => 0)
  await disk.write('/srv/shop/public/index.php', '<?php')
  await disk.mkdir('/srv/.trash/shop')
  await disk.rename('/srv/shop', '/srv/.trash/shop/home')

  expect(await disk.stat('/srv/shop')).toBeUndefined()
  expect(await disk.read('/srv/.trash/shop/home/public/index.php')).toBe('<?php')
  expect(await disk.list('/srv')).toEqual([{ name: '.trash', kind: 'directory' }])
})

test('reading a link follows it, and it stays a link', async () => {
  const disk = new Disk(() => 0)
  await disk.write('/etc/a', 'text')
  await disk.link('/etc/a', '/etc/b')

  expect([await disk.read('/etc/b'), (await disk.stat('/etc/b'))?.kind]).toEqual(['text', 'link'])
})

test.each<[string, (disk: Disk) => Promise<void>]>([
  ['is made again', (disk) => disk.mkdir('/var/cache/core')],
  ['gets a mode', (disk) => disk.mkdir('/var/cache/core', { mode: 0o711 })],
  ['moves away and back', moveAndBack],
  ['moves with its folder', (disk) => disk.rename('/var/cache', '/var/kept')],
])('a folder of a snapshot that %s shares no later change with it', async (_, change) => {
  const first = new Disk(() => 0)
  await first.write('/var/cache/core/latest.json', '1')
  const before = first.all
  const disk = new Disk(() => 0, first.snapshot())
  await change(disk)
  for (const path of ['/var/cache/core', '/var/kept/core'])
    if (await disk.stat(path)) await disk.write(`${path}/latest.json`, '2')

  expect(Object.values(disk.all)).toContain('2')
  expect(first.all).toEqual(before)
})

async function moveAndBack(disk: Disk): Promise<void> {
  await disk.rename('/var/cache/core', '/var/core')
  await disk.rename('/var/core', '/var/cache/core')
}

test('a copy of a folder keeps what the original loses later', async () => {
  const disk = new Disk(() => 0)
  await disk.write('/srv/shop/index.php', 'one')
  const source = disk.find('/srv/shop')
  if (source) disk.copy(source, '/backup/shop')
  await disk.write('/srv/shop/index.php', 'two')
  await disk.write('/srv/shop/new.php', 'new')

  expect(disk.text('/backup/shop/index.php')).toBe('one')
  expect(disk.names('/backup/shop')).toEqual(['index.php'])
})
