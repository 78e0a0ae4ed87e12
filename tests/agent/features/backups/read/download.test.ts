import { expect, test } from 'bun:test'
import { Downloads } from '#agent/features/backups/read/download.ts'
import { removeLeftoverSessions } from '#agent/features/backups/read/open-backup.ts'
import type { ByteSource } from '#agent/kernel/calls/reading.ts'
import { savedSite } from '#tests/support/agent/backup.ts'

const PUBLIC = '/srv/www/shop/public'
const OPEN = '/var/lib/hosting-agent/backups/.download/open'

async function saved() {
  const files = { [`${PUBLIC}/a/one`]: '1', [`${PUBLIC}/a/two`]: 'two' }
  const { host, restore } = await savedSite(files)
  await host.disk.link('/etc/shadow', `${PUBLIC}/link`)
  const { parts: _, domain: __, ...backup } = restore({ files: true, database: false })
  const downloads = new Downloads(host)
  const start = (path: string, part: 'files' | 'database' = 'files') =>
    downloads.start({ ...backup, part, path, archive: 'tar' })
  return { host, start }
}

async function textOf({ next }: ByteSource): Promise<string> {
  const parts: Uint8Array[] = []
  for (let chunk = await next(); chunk; chunk = await next()) parts.push(chunk)
  return Buffer.concat(parts).toString()
}

test('a file is sent as it is, a folder as an archive, the database as SQL', async () => {
  const { host, start } = await saved()

  const file = await start('a/two')
  expect([file.type, await textOf(file)]).toEqual(['application/octet-stream', 'two'])
  const folder = await start('a')
  expect([folder.type, await textOf(folder)]).toEqual(['application/x-tar', 'one,two'])
  const database = await start('', 'database')
  expect(database.type).toBe('application/sql')
  expect(await textOf(database)).toContain('-- Dump completed')
  expect(host.disk.find(OPEN)).toBe(undefined)
})

test('one runs at a time, and a reader that leaves frees the place', async () => {
  const { host, start } = await saved()
  const first = await start('a')

  expect(start('a')).rejects.toThrow('Another download of a backup is running')
  await first.end()
  expect(host.disk.find(OPEN)).toBe(undefined)
  expect(host.signals.at(-1)).toMatch(/^SIGKILL download-/)
  expect(await textOf(await start('a'))).toBe('one,two')
})

test('an error before the first byte is an error, and frees the place', async () => {
  const { start } = await saved()

  expect(start('nothing')).rejects.toThrow('nothing not found')
  await start('nothing').catch(() => undefined)
  expect(await textOf(await start('a'))).toBe('one,two')
})

test('an incomplete download throws', async () => {
  const { host, start } = await saved()
  host.fail('/var/lib/hosting-agent/bin/restic --retry-lock=600s dump --archive', 'damaged')

  expect(start('a')).rejects.toThrow('damaged')
})

test('the secrets that a killed agent left are removed at its start', async () => {
  const { host, start } = await saved()
  await start('a')
  expect(host.disk.find(OPEN)).toBeDefined()

  await removeLeftoverSessions(host)

  expect(host.disk.find('/var/lib/hosting-agent/backups/.download')).toBe(undefined)
})
