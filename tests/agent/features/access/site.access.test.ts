import { expect, test } from 'bun:test'
import { siteDelete } from '#agent/features/sites/site.delete.ts'
import { sitePurge } from '#agent/features/sites/site.purge.ts'
import { contextOf, outcome, shop } from '#tests/support/agent/debian.ts'
import { anna, ben, KEYS, lineIn, setAccess, withSshd } from '#tests/support/agent/with-sshd.ts'
import { ANNA, ANNA_FINGERPRINT, BEN } from '#tests/support/ssh-keys.ts'

const { domain } = shop

test('gives people access with restricted keys that root owns, and removes it', async () => {
  const host = await withSshd()
  const before = host.disk.all

  const [lines, result] = await setAccess(host, [anna, ben])

  expect(lines).toEqual([
    'Changing who may log in to shop.example',
    'Creating the group hosting-sftp',
    'Writing the keys of people',
    'Configuring the SSH server',
    'Ending sessions without access',
    'Recording the access',
  ])
  expect(host.disk.all[KEYS]).toBe(
    `restrict ${ANNA} Anna\nrestrict,expiry-time="20270131180000Z" ${BEN} Ben W\n`,
  )
  expect(lineIn(host)).toBe('hosting-sftp:x:999:shop')
  expect(result).toMatchObject({
    ...{ domain, user: 'shop', ports: [22] },
    grants: [
      { id: 1, kind: 'sftp', expires_at: null, fingerprints: [ANNA_FINGERPRINT] },
      { id: 2 },
    ],
    host_keys: [{ type: 'ssh-ed25519', fingerprint: expect.stringMatching(/^SHA256:.{43}$/) }],
  })
  expect(host.ran).toContain('systemctl reload ssh.service')

  await setAccess(host, [])

  expect(host.disk.all[KEYS]).toBeUndefined()
  expect(lineIn(host)).toBe('hosting-sftp:x:999:')
  const path = `${host.settings.state_dir}/sites/${domain}.json`
  expect(host.disk.all[path]).toBe(before[path] ?? '')
})

test('ends sessions when somebody loses access, and only then', async () => {
  const host = await withSshd()
  const ends = () => host.ran.filter((line) => line.includes('--name sshd')).length
  await setAccess(host, [anna])
  await setAccess(host, [anna, ben])
  await setAccess(host, [anna, { ...ben, keys: [...ben.keys] }])
  await setAccess(host, [anna, { ...ben, expires_at: '2027-02-28T18:00:00Z' }])
  await setAccess(host, [anna, { ...ben, expires_at: null }])
  expect(ends()).toBe(0)

  await setAccess(host, [anna])

  // For Debian 12, and for 13.
  expect(ends()).toBe(2)
  await setAccess(host, [{ ...anna, keys: [] }])
  expect(ends()).toBe(4)
})

test('a site that is permanently deleted leaves no key for a later user of its name', async () => {
  const host = await withSshd()
  await setAccess(host, [anna])

  await outcome(siteDelete.run({ domain }, contextOf(host)))
  expect(host.disk.all[KEYS]).toContain(ANNA)
  await outcome(sitePurge.run({ domain, confirm: domain, trashed_days: 0 }, contextOf(host)))

  expect([host.disk.all[KEYS], lineIn(host)]).toEqual([undefined, 'hosting-sftp:x:999:'])
})
