import { expect, test } from 'bun:test'
import { removeOwnLocks } from '#agent/programs/keeper/keep.ts'
import type { Store, StoredFile } from '#agent/programs/keeper/store.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { freeHost } from '#tests/support/fake-host.ts'

const OWN = { exclusive: true, hostname: 'storage', pid: 41 }
const LOCKS: Record<string, object> = {
  'ended here': OWN,
  'running here': { ...OWN, pid: 42 },
  'another program has its number': { ...OWN, pid: 43 },
  'of a server': { ...OWN, hostname: 'web' },
  'of a backup': { ...OWN, exclusive: false },
  'no lock': {},
}

test('the lock of a killed run of this machine is taken out, and no other one', async () => {
  const host = freeHost()
  host.disk.putText('/proc/sys/kernel/hostname', 'storage\n')
  host.disk.putText('/proc/42/comm', 'restic\n')
  host.disk.putText('/proc/43/comm', 'bash\n')
  const out: string[] = []
  const store: Store = {
    ...{ name: 'store', repositories: async () => [], files: async () => [] },
    ...{ read: async () => '', report: async () => undefined, removeDrafts: async () => undefined },
    takeOut: async (_, { name }) => void out.push(name),
    restic: async () => ({ launcher: [], options: [], env: {} }),
  }
  const opened = { store, name: 'shop', password: new Secret('password'), key: 'key' }
  const files = Object.entries(LOCKS).map(([name, lock]): StoredFile => {
    host.answer(`/usr/bin/restic --key-hint=key cat lock ${name}`, JSON.stringify(lock))
    return { folder: 'locks', name, size: 1, at: 0, sha256: name }
  })
  const restic = { program: '/usr/bin/restic', left: () => 60_000 }

  await removeOwnLocks({ host, restic }, store, opened, files)

  expect(out).toEqual(['ended here', 'another program has its number'])
})
