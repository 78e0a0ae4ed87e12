import { expect, test } from 'bun:test'
import { siteAccess } from '#agent/features/access/site.access.ts'
import { siteDelete } from '#agent/features/sites/site.delete.ts'
import { sitePurge } from '#agent/features/sites/site.purge.ts'
import { siteRestore } from '#agent/features/sites/site.restore.ts'
import { siteUpdate } from '#agent/features/sites/site.update.ts'
import { packagesOf } from '#agent/kernel/packages/packages.ts'
import { contextOf, installed, outcome, shop } from '#tests/support/agent/debian.ts'
import {
  anna,
  anna_shell,
  ben,
  CONFINED_SHELL,
  DROP_IN,
  GATE_KEYS,
  KEYS,
  LIVE,
  setAccess,
  TRIAL,
  withSshd,
} from '#tests/support/agent/with-sshd.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { ANNA, BEN } from '#tests/support/ssh-keys.ts'

const { domain } = shop
const SERVICE = '/etc/systemd/system/hosting-shell-shop@.service'
const SOCKET = '/etc/systemd/system/hosting-shell-shop.socket'
const gateIn = (host: FakeHost) => /^shop\.ssh:.*$/m.exec(host.disk.all['/etc/passwd'] ?? '')?.[0]

test('a shell has an account and a socket of its own, and leaves nothing behind', async () => {
  const host = await withSshd()
  await setAccess(host, [anna, ben])

  const [lines, result] = await setAccess(host, [anna_shell, ben])

  expect(lines).toEqual([
    'Changing who may log in to shop.example',
    'Creating the group hosting-shell',
    'Writing the keys of people',
    'Preparing the shell of the site',
    'Writing the keys of people with a shell',
    'Ending sessions without access',
    'Recording the access',
  ])
  expect(result).toMatchObject({ user: 'shop', shell_user: 'shop.ssh' })
  expect(host.disk.all[KEYS]).toContain(ANNA)
  expect(host.disk.all[KEYS]).toContain(BEN)
  expect(host.disk.all[GATE_KEYS]).toBe(
    `restrict,pty,command="/usr/local/lib/hosting/shell-client" ${ANNA} Anna\n`,
  )
  expect(gateIn(host)).toContain('Shell of shop')
  const made = host.ran.find((line) => line.startsWith('useradd')) ?? ''
  expect(made).toContain('--shell /usr/local/lib/hosting/shell-client ')
  expect(host.disk.all[SOCKET]).toContain('SocketUser=shop.ssh\nSocketMode=0600\n')
  expect(host.disk.all[SERVICE]).toContain('\nUser=shop\n')
  expect(host.ran).toContain('systemctl start hosting-shell-shop.socket')

  await setAccess(host, [anna, ben])

  const left = [GATE_KEYS, SOCKET, SERVICE].map((path) => host.disk.all[path])
  expect([gateIn(host), ...left]).toEqual([undefined, undefined, undefined, undefined])
  expect(host.ran).toContain('systemctl stop hosting-shell-shop@*.service')
})

test.each([
  [`${LIVE} user=shop.ssh,`, CONFINED_SHELL.replace(/forcecommand .*/, 'forcecommand none')],
  [`${LIVE} user=shop.ssh,`, `${CONFINED_SHELL}acceptenv LD_*\n`],
  [`${TRIAL} user=shop.ssh,`, CONFINED_SHELL.replace('permituserrc no', 'permituserrc yes')],
])('a session that sshd would not confine is refused: %s', async (asked, answer) => {
  const host = await withSshd()
  await setAccess(host, [anna])
  if (asked.startsWith(TRIAL)) await host.disk.remove(DROP_IN)
  const before = host.disk.all
  host.answer(asked, answer)

  const [, error] = await setAccess(host, [anna_shell])

  expect(error).toContain('would not confine the shell of shop')
  expect([gateIn(host), host.disk.all[GATE_KEYS]]).toEqual([undefined, undefined])
  expect(host.disk.all[KEYS]).toBe(before[KEYS] ?? '')
})

test('one person loses a shell that sshd would not confine any more', async () => {
  const host = await withSshd()
  const ben_shell = { ...ben, kind: 'shell' as const }
  await setAccess(host, [anna_shell, ben_shell])
  host.answer(`${LIVE} user=shop.ssh,`, `${CONFINED_SHELL}acceptenv LD_*\n`)

  const [lines] = await setAccess(host, [ben_shell])

  expect(lines).not.toContain('Configuring the SSH server')
  expect(host.disk.all[GATE_KEYS]).not.toContain(ANNA)
  expect(host.disk.all[GATE_KEYS]).toContain(BEN)
})

test('the shell follows the PHP version, the trash and the end of its site', async () => {
  const host = await withSshd()
  const status = host.disk.text('/var/lib/dpkg/status') ?? ''
  host.disk.putText('/var/lib/dpkg/status', `${status}\n${installed(packagesOf('8.4'))}`)
  await setAccess(host, [anna_shell])
  expect(host.disk.all[SERVICE]).toContain('"SITE_PHP=8.2"')
  await outcome(siteUpdate.run({ domain, php: '8.4' }, contextOf(host)))
  expect(host.disk.all[SERVICE]).toContain('"SITE_PHP=8.4"')

  await outcome(siteDelete.run({ domain }, contextOf(host)))
  expect(host.ran).toContain('usermod --expiredate 1 -- shop.ssh')
  await outcome(siteRestore.run({ domain } as never, contextOf(host)))
  expect(host.ran).toContain('usermod --expiredate  -- shop.ssh')
  await outcome(siteDelete.run({ domain }, contextOf(host)))
  await outcome(sitePurge.run({ domain, confirm: domain, trashed_days: 0 }, contextOf(host)))

  expect([gateIn(host), host.disk.all[SOCKET]]).toEqual([undefined, undefined])
})

test('a server without systemd has no shells', async () => {
  const host = await withSshd()
  host.init = 'direct'

  const [, error] = await setAccess(host, [anna_shell])

  expect(error).toContain('A shell needs a server that runs systemd')
})

test('missing tools are installed on request', async () => {
  const host = await withSshd()
  host.disk.putText('/usr/bin/git', '')
  const titles = async (install: boolean, grants = [anna_shell]) =>
    (await siteAccess.plan({ domain, grants, clients: [], install }, host)).map(
      ({ title }) => title,
    )

  expect(await titles(true)).toContain('Installing composer, rsync')
  expect(await titles(false)).not.toContain('Installing composer, rsync')
  expect(await titles(true, [anna])).not.toContain('Installing composer, rsync')
})
