import { siteAccess } from '#agent/features/access/site.access.ts'
import {
  CLIENT_SETTINGS,
  SFTP_SETTINGS,
  SHELL_SETTINGS,
} from '#agent/features/access/ssh/drop-in.ts'
import { done } from '#agent/kernel/host/simulated/programs/output.ts'
import type { AccessGrant } from '#shared/access/site-access.ts'
import type { ClientAccount } from '#shared/access/site-clients.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { ANNA, BEN } from '#tests/support/ssh-keys.ts'
import { contextOf, outcome, server, shop } from './debian.ts'

const { domain } = shop
export const KEYS = '/etc/hosting/ssh/keys/shop'
export const DROP_IN = '/etc/ssh/sshd_config.d/00-hosting-control.conf'
const MAIN = 'Include /etc/ssh/sshd_config.d/*.conf\nUsePAM yes\n'
export const LIVE = '/usr/sbin/sshd -T -f /etc/ssh/sshd_config -C'
export const TRIAL = '/usr/sbin/sshd -T -f /etc/hosting/ssh/trial -C'
const printed = (settings: object) =>
  Object.entries({ ...settings, UsePAM: 'yes', Port: '22' })
    .map(([name, value]) => `${name.toLowerCase()} ${value}\n`)
    .join('')
export const CONFINED = printed(SFTP_SETTINGS)
const CONFINED_CLIENT = printed(CLIENT_SETTINGS)
export const CONFINED_SHELL = `${printed(SHELL_SETTINGS)}acceptenv LANG\nacceptenv LC_*\n`
export const GATE_KEYS = '/etc/hosting/ssh/keys/shop.ssh'

export const anna: AccessGrant = {
  id: 1,
  person: 'Anna',
  kind: 'sftp',
  expires_at: null,
  keys: [ANNA],
}
export const ben: AccessGrant = {
  ...{ id: 2, person: 'Ben W', kind: 'sftp', keys: [BEN] },
  expires_at: '2027-01-31T18:00:00Z',
}

export const print: ClientAccount = {
  ...{ token: 'abcd2345', label: 'Print shop', expires_at: null },
  password_hash: `$2b$10$${'a'.repeat(53)}`,
}
export const photos: ClientAccount = {
  ...{ token: 'efgh2345', label: 'Photos', expires_at: '2027-01-31T18:00:00Z' },
  password_hash: `$2b$10$${'b'.repeat(53)}`,
}

export const anna_shell: AccessGrant = { ...anna, kind: 'shell' }

/** With OpenSSH, whose answers are those of Debian. */
export async function withSshd(config = MAIN): Promise<FakeHost> {
  const host = await server(shop)
  host.disk.putText('/usr/sbin/sshd', '')
  host.disk.putText('/etc/ssh/sshd_config', config)
  host.disk.putText('/etc/ssh/key.pub', `${BEN} root@web-1\n`)
  host.answer(`${TRIAL} user=shop,`, CONFINED)
  host.answer(`${TRIAL} user=shop.ssh,`, CONFINED_SHELL)
  host.answer(`${LIVE} user=shop.ssh,`, CONFINED_SHELL)
  for (const token of ['abcd2345', 'efgh2345'])
    for (const asked of [TRIAL, LIVE]) host.answer(`${asked} user=shop.${token},`, CONFINED_CLIENT)
  host.answer(`${LIVE} user=shop,`, `${CONFINED}hostkey /etc/ssh/key\n`)
  host.table.groupadd = ({ disk }, argv) => {
    disk.add('/etc/group', `${argv.at(-1)}:x:999:\n`)
    return done()
  }
  return host
}

export const setAccess = (host: FakeHost, grants: AccessGrant[], install = false) =>
  outcome(siteAccess.run({ domain, grants, clients: [], install }, contextOf(host)))
export const setClients = (host: FakeHost, clients: ClientAccount[], grants: AccessGrant[] = []) =>
  outcome(siteAccess.run({ domain, grants, clients, install: false }, contextOf(host)))
export const lineIn = (host: FakeHost) =>
  /^hosting-sftp:.*$/m.exec(host.disk.all['/etc/group'] ?? '')?.[0]
