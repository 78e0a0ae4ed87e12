import { expect, test } from 'bun:test'
import { backupCheck } from '#agent/features/backups/backup.check.ts'
import { backupServer, TARGET } from '#tests/support/agent/backup.ts'
import { contextOf, outcome } from '#tests/support/agent/debian.ts'
import { during } from '#tests/support/agent/replaced.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const check = (host: FakeHost) => outcome(backupCheck.run({ target: TARGET }, contextOf(host)))

test('writes, reads and tries to delete, and says whether that was refused', async () => {
  const host = await backupServer()

  expect(await check(host)).toEqual([
    [
      'Connecting to the target',
      'Writing to the target, and reading from it',
      'The target can be written and read',
      'Warning: this server can delete backups in the target',
      'Disconnecting from the target',
    ],
    { append_only: false },
  ])

  host.fail(
    '/var/lib/hosting-agent/bin/restic --retry-lock=96s forget',
    'unexpected HTTP response (403)',
    3,
  )
  expect((await check(host))[1]).toEqual({ append_only: true })
})

test('fails with the words of the storage, and removes its secrets', async () => {
  const host = await backupServer()
  host.fail('/var/lib/hosting-agent/bin/restic', 'Fatal: Access Denied.')

  const [, reason] = await check(host)

  expect(reason).toBe('restic: Fatal: Access Denied.')
  expect(host.disk.find('/var/lib/hosting-agent/backups/hosting-check/open')).toBeUndefined()
})

test('does not take a wrong clock of the server for a refusal to delete', async () => {
  const host = await backupServer()
  const words = 'The difference between the request time and the current time is too large.'
  host.fail('/var/lib/hosting-agent/bin/restic --retry-lock=96s forget', words, 1)

  expect((await check(host))[1]).toBe(
    `The clock of this server and the storage do not agree on the time: correct the clock of this server (timedatectl shows it) (${words})`,
  )
})

test('does not take a lock that remains for a refusal to delete', async () => {
  const host = await backupServer()
  const words = 'repository is already locked by PID 75 on shop by root'
  host.fail('/var/lib/hosting-agent/bin/restic --retry-lock=96s forget', words, 11)

  expect((await check(host))[1]).toBe(
    `The target does not let this server delete the locks of restic, for which later work would wait: allow it to delete in the folder locks of each repository (${words})`,
  )
  expect(host.ran).toContain('/var/lib/hosting-agent/bin/restic --retry-lock=24s unlock')
})

test('names the field of the target that the storage refuses, with its error', async () => {
  const host = await backupServer()
  const refuse = async (field: string | null) => {
    host.answer(
      '/usr/local/bin/hosting-agent storage',
      JSON.stringify({ error: 'InvalidAccessKeyId', field }),
    )
    return contextOf(host)
  }
  const fields = async (field: string | null) => {
    const run = backupCheck.run({ target: TARGET }, await refuse(field))
    return Array.fromAsync(run).catch((error: unknown) => Object(error).fields)
  }

  expect(await fields('user')).toEqual({ 'place.user': ['InvalidAccessKeyId'] })
  expect(await fields('secret')).toEqual({ secret: ['InvalidAccessKeyId'] })
  await refuse(null)
  expect((await check(host))[1]).toEqual({ append_only: false })
})

test('names what the server lacks for the target', async () => {
  const host = await backupServer()
  const at = async (place: object) =>
    (
      await outcome(
        backupCheck.run({ target: { ...TARGET, place: place as never } }, contextOf(host)),
      )
    )[1]

  expect(await at({ kind: 'local', path: '/mnt/other' })).toBe(
    '/mnt/other is not a folder of root on this server: create it, or mount it',
  )
  expect(await at({ kind: 'sftp' })).toBe(
    'SFTP targets need ssh: install the package openssh-client on this server',
  )
})

const REST = {
  place: { kind: 'rest' as const, url: 'https://backup.example.test/', user: 'shop', ca: '' },
  secret: TARGET.secret,
}

test('refuses a name that leads to a metadata address, before anything connects there', async () => {
  const host = await backupServer()
  host.net.resolve = async (names) => names.map(() => ['192.0.2.7', '169.254.169.254'])

  const run = backupCheck.run({ target: REST }, contextOf(host))
  const refused = await Array.fromAsync(run).catch((error: unknown) => Object(error).fields)

  expect(refused).toEqual({
    'place.url': ['Leads to the link-local or metadata address 169.254.169.254'],
  })
  expect(host.ran.filter((line) => line.includes('storage'))).toEqual([])
})

test.each([
  'https://169.254.169.254/',
  'https://[fd00:ec2::254]/',
  'https://[::ffff:169.254.169.254]:8000/',
  'https://2852039166/',
])('refuses the metadata address %s', async (url) => {
  const host = await backupServer()
  const target = { ...REST, place: { ...REST.place, url } }

  const [lines, reason] = await outcome(backupCheck.run({ target }, contextOf(host)))

  expect(lines).toEqual([])
  expect(reason).toStartWith('The target has a link-local or metadata address: ')
})

test('uses another folder after an interrupted creation', async () => {
  const host = await backupServer()
  during(host, '/var/lib/hosting-agent/bin/restic --retry-lock=96s init', () => {
    throw new Error('restic was killed')
  })
  const password = () =>
    host.disk.text('/var/lib/hosting-agent/backups/hosting-check/passwords/hosting-check')
  expect((await check(host))[1]).toBe('restic was killed')
  const before = password()

  const [, result] = await check(host)

  expect(result).toEqual({ append_only: false })
  expect([password() === before, password()?.trim().length]).toEqual([false, 48])
})
