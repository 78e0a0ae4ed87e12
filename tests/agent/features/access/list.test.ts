import { expect, test } from 'bun:test'
import { listAccess } from '#agent/features/access/list.ts'
import { shop } from '#tests/support/agent/debian.ts'
import { anna, KEYS, setAccess, withSshd } from '#tests/support/agent/with-sshd.ts'
import { ANNA_FINGERPRINT } from '#tests/support/ssh-keys.ts'

const GRANT = { id: 1, kind: 'sftp', expires_at: null } as const

test('lists who can log in, and a file that somebody changed as one without keys', async () => {
  const host = await withSshd()
  expect(await listAccess(host)).toEqual([])
  await setAccess(host, [anna])

  const grants = [{ ...GRANT, fingerprints: [ANNA_FINGERPRINT] }]
  expect(await listAccess(host)).toEqual([{ domain: shop.domain, grants, clients: [] }])
  host.disk.putText(KEYS, `${host.disk.all[KEYS]}ssh-ed25519 AAAA stranger\n`)

  const none = [{ ...GRANT, fingerprints: [] }]
  expect(await listAccess(host)).toEqual([{ domain: shop.domain, grants: none, clients: [] }])
})
