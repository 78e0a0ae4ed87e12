import { expect, test } from 'bun:test'
import { findRepositories, readKeeper } from '#agent/os/backup/storage/find.ts'
import { fingerprintOf } from '#agent/os/restic/seal.ts'
import { kit, opened, savedSite, TARGET } from '#tests/support/agent/backup.ts'

const OPEN = '/var/lib/hosting-agent/backups/.storage/open'

test('finds the repositories of a storage, with passwords that only the kit opens', async () => {
  const { host, restore } = await savedSite({ '/srv/www/shop/public/index.html': 'old' })
  const { password } = restore({ files: true, database: true })
  host.disk.putText(`${TARGET.place.path}/other/keys`, '[]')
  host.disk.putText(
    `${TARGET.place.path}/garbage/keys`,
    JSON.stringify([{ userName: 'no base64!', hostName: 'recovery-0123456789abcdef' }]),
  )

  const found = await findRepositories(host, { target: TARGET, repositories: null, after: '' })

  const sealed = found.repositories[0]?.keys[0]?.sealed ?? ''
  expect(found).toEqual({
    is_listed: true,
    repositories: [{ name: 'shop', keys: [{ kit: fingerprintOf(kit.publicKey), sealed }] }],
    next: null,
  })
  expect(opened(kit.privateKey, sealed)).toBe(password.reveal())
  expect(host.disk.find(OPEN)).toBeUndefined()
})

test('reads the named repositories, and those after a name', async () => {
  const { host } = await savedSite({})
  const names = async (repositories: string[] | null, after = '') =>
    (await findRepositories(host, { target: TARGET, repositories, after })).repositories.map(
      ({ name }) => name,
    )

  expect([await names(['shop', 'none']), await names(null, 'shop'), await names(null)]).toEqual([
    ['shop'],
    [],
    ['shop'],
  ])
})

test('reports the answer of the storage, and removes its secrets', async () => {
  const { host } = await savedSite({})
  host.answer(
    '/usr/local/bin/hosting-agent storage',
    '{"error":"InvalidAccessKeyId","field":"user"}',
  )

  expect(readKeeper(host, { target: TARGET })).rejects.toThrow(
    'The storage cannot be read: InvalidAccessKeyId',
  )
  await readKeeper(host, { target: TARGET }).catch(() => undefined)
  expect(host.disk.find(OPEN)).toBeUndefined()
})
