import { expect, test } from 'bun:test'
import { fingerprintOf } from '#agent/features/backups/restic/seal.ts'
import { findRepositories, readKeeper } from '#agent/features/backups/storage/find.ts'
import { reportsOf } from '#agent/programs/keeper/report.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { keeper, kit, opened, savedSite, TARGET } from '#tests/support/agent/backup.ts'

const AT = '2026-03-01T08:00:00.000Z'
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
    unnamed: 0,
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

test('a storage that lists nothing has the repositories of all lists of its keeper', async () => {
  const { host } = await savedSite({})
  const place = { kind: 'rest' as const, url: 'https://backup.example/', user: 'a', ca: '' }
  const lines = Array.from({ length: 2500 }, (_, one) => ({
    ...{ at: AT, store: '/srv', repository: `site${one}`, status: 'ok' as const, seconds: 1 },
  }))
  const texts = reportsOf(new Secret(keeper.privateKey), AT, lines)
  const search = async (given: readonly string[]) => {
    const repositories = [{ name: 'hosting-keeper', texts: [...given, '{"signature":"garbage"}'] }]
    const answer = { is_listed: false, repositories, next: null }
    host.answer('/usr/local/bin/hosting-agent storage', JSON.stringify(answer))
    const target = { place, secret: new Secret('secret') }
    const reported = await readKeeper(host, { target })
    const { unnamed } = await findRepositories(host, { target, repositories: null, after: '' })
    return { unnamed, reported: reported.texts }
  }

  expect(await search(texts)).toEqual({ unnamed: 0, reported: texts.slice(-1) })
  expect(await search(texts.slice(1))).toEqual({ unnamed: 1000, reported: texts.slice(-1) })
})
