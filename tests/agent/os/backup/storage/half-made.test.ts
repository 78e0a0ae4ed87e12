import { expect, test } from 'bun:test'
import { backupCreate } from '#agent/commands/backup.create.ts'
import { backupServer, dashboard, kit, TARGET } from '#tests/support/agent/backup.ts'
import { contextOf, outcome, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const RESTIC = '/var/lib/hosting-agent/bin/restic --retry-lock=240s'
const SAVING = {
  ...{ domain: shop.domain, target: TARGET },
  ...{ dashboard_key: dashboard.publicKey, recovery_key: kit.publicKey },
}
const KEY = JSON.stringify([{ userName: 'x', hostName: 'hosting' }])

/** restic has stored the first key of a repository, and was killed before its configuration. */
async function halfMade(name: string): Promise<FakeHost> {
  const host = await backupServer(shop)
  host.fail(`${RESTIC} init`, 'Fatal: create key in repository failed')
  host.disk.putText(`${TARGET.place.path}/${name}/keys`, KEY)
  return host
}

const advice = (name: string) =>
  `The creation of the repository ${name} was interrupted, and restic cannot complete it: remove the folder ${name} from the storage, and try again`

test('a backup says what to do with a repository whose creation was interrupted', async () => {
  const host = await halfMade(shop.user)

  const [, reason] = await outcome(backupCreate.run(SAVING, contextOf(host)))

  expect(reason).toBe(advice(shop.user))
})

test('a backup never says to remove a repository that was complete once', async () => {
  const host = await halfMade(shop.user)
  const keys = [
    { userName: 'x', hostName: 'hosting' },
    { userName: 'y', hostName: 'recovery-1' },
  ]
  host.disk.putText(`${TARGET.place.path}/${shop.user}/keys`, JSON.stringify(keys))

  const [, reason] = await outcome(backupCreate.run(SAVING, contextOf(host)))

  expect(reason).toBe(
    `The repository ${shop.user} has lost its file config, without which no backup in it can be read: put that file back from a copy of the storage, or choose another target`,
  )
})

test('another failure keeps its own reason', async () => {
  const host = await backupServer(shop)
  host.fail(`${RESTIC} init`, 'Fatal: permission denied')

  const [, reason] = await outcome(backupCreate.run(SAVING, contextOf(host)))

  expect(reason).toContain('permission denied')
})
