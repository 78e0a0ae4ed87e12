import { expect, test } from 'bun:test'
import { backupCreate } from '#agent/features/backups/backup.create.ts'
import { cacheKeyHint } from '#agent/features/backups/restic/prepare.ts'
import { openRepositoryOf } from '#agent/features/backups/restic/session.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { backupServer, dashboard, kit, NONE, TARGET } from '#tests/support/agent/backup.ts'
import { contextOf, outcome, shop } from '#tests/support/agent/debian.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const RESTIC = '/var/lib/hosting-agent/bin/restic'
const LIST = `${RESTIC} --retry-lock=240s key list`
const ID = 'ab'.repeat(32)
const keys = (id: string) =>
  JSON.stringify([
    { current: false, id: 'cd'.repeat(32), userName: 'x', hostName: 'recovery-x' },
    { current: true, id, userName: 'x', hostName: 'own' },
  ])

/** The hint of each restic, in order. */
const hintsOf = (host: FakeHost) =>
  host.runs
    .filter(({ line }) => line.startsWith(RESTIC))
    .map(({ options }) => options.env?.RESTIC_KEY_HINT)

async function backedUp(id: string, guard: FakeHost['disk']['guard'] = () => undefined) {
  const host = await backupServer(shop)
  host.disk.guard = guard
  host.answer(LIST, keys(id))
  host.disk.putText('/mnt/store/shop/config', '')
  const saving = {
    domain: shop.domain,
    target: TARGET,
    repository: 'shop',
    dashboard_key: dashboard.publicKey,
    password: NONE,
  }
  await outcome(backupCreate.run({ ...saving, recovery_key: kit.publicKey }, contextOf(host)))
  return host
}

test('restic opens a repository with the key that its password belongs to', async () => {
  const host = await backedUp(ID)

  const [first, ...others] = hintsOf(host)

  expect(first).toBeUndefined()
  expect(new Set(others)).toEqual(new Set([ID]))
})

test.each(['../password', 'AB'.repeat(32), ''])('%p is no key', async (id) => {
  expect(new Set(hintsOf(await backedUp(id)))).toEqual(new Set([undefined]))
})

test('another repository of the same site has a key of its own, which is asked for once', async () => {
  const host = await backedUp(ID)
  const repository = { name: 'other', target: TARGET, password: new Secret('x') }
  const opened = openRepositoryOf(host, repository, shop.user)
  host.runs.length = 0

  await cacheKeyHint(host, opened)
  await cacheKeyHint(host, opened)

  expect(host.ran).toEqual([`${LIST} --json --no-lock`])
})

test('a backup does not need the hint: its file may be impossible to write', async () => {
  const host = await backedUp(ID, (action) => {
    if (action.includes('/key-of-')) throw new Error(`ENOSPC: no space left on device, ${action}`)
  })

  expect(host.ran[1]).toContain('key add')
  expect(new Set(hintsOf(host))).toEqual(new Set([undefined]))
})
