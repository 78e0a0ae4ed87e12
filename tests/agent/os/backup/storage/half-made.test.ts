import { expect, test } from 'bun:test'
import { backupCreate } from '#agent/commands/backup.create.ts'
import { backupServer, SAVING, TARGET } from '#tests/support/agent/backup.ts'
import { contextOf, outcome, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { keyFileOf, randomKeys } from '#tests/support/storage/key-file.ts'

const RESTIC = '/var/lib/hosting-agent/bin/restic --retry-lock=240s'
const PASSWORD = 'p'.repeat(48)
const REPOSITORY = `${TARGET.place.path}/${shop.user}`
const FIRST = { userName: 'x', hostName: 'hosting' }

/** restic has stored the first key of a repository, and was killed before its configuration. */
async function halfMade(keys: object[]): Promise<FakeHost> {
  const host = await backupServer(shop)
  host.fail(`${RESTIC} init`, 'Fatal: create key in repository failed')
  host.disk.putText(`/var/lib/hosting-agent/backups/${shop.user}/passwords/${shop.user}`, PASSWORD)
  host.disk.putText(`${REPOSITORY}/keys`, JSON.stringify(keys))
  return host
}
const ended = (host: FakeHost) => outcome(backupCreate.run(SAVING, contextOf(host)))

test('a backup completes a repository whose creation was interrupted', async () => {
  const file = await keyFileOf(randomKeys(), PASSWORD)
  const host = await halfMade([{ ...FIRST, file }])

  const [lines, result] = await ended(host)

  expect(result).toMatchObject({ domain: shop.domain })
  expect(lines).toContain(`Completing the repository ${shop.user}, whose creation was interrupted`)
  expect(host.ran.filter((line) => line.includes(' init '))).toHaveLength(1)
})

test('a backup says what to do with an incomplete repository of another password', async () => {
  const file = await keyFileOf(randomKeys(), 'another')
  const host = await halfMade([{ ...FIRST, file }])

  const [, reason] = await ended(host)

  expect(reason).toBe(
    `The creation of the repository ${shop.user} was interrupted, and its key has another password: remove the folder ${shop.user} from the storage, and try again`,
  )
  expect(host.disk.text(`${REPOSITORY}/config`)).toBeUndefined()
})

test('a backup completes no repository that was complete once', async () => {
  const file = await keyFileOf(randomKeys(), PASSWORD)
  const recovery = { userName: 'y', hostName: 'recovery-1' }
  const host = await halfMade([{ ...FIRST, file }, recovery])

  const [, reason] = await ended(host)

  expect(reason).toBe(
    `The repository ${shop.user} has lost its file config, without which no backup in it can be read: put that file back from a copy of the storage, or choose another target`,
  )
  expect(host.disk.text(`${REPOSITORY}/config`)).toBeUndefined()
})

test('another failure keeps its own reason', async () => {
  const host = await backupServer(shop)
  host.fail(`${RESTIC} init`, 'Fatal: permission denied')

  const [, reason] = await ended(host)

  expect(reason).toContain('permission denied')
})
