import type { Host } from '#agent/host/ports.ts'
import { withoutAccess } from '#agent/os/access/access.ts'
import { lockClients } from '#agent/os/access/clients.ts'
import { endShells, gateOf, hasGate } from '#agent/os/access/gate.ts'
import { endLogins } from '#agent/os/access/sessions.ts'
import { managerAllowed } from '#agent/os/access/user-manager.ts'
import { stopSlice } from '#agent/os/as-site/slice.ts'
import { type Change, declared, inOrder, provided, removedTree } from '#agent/os/effects/change.ts'
import * as effects from '#agent/os/effects/effects.ts'
import { homeOf, logsOf } from '#agent/os/site/paths.ts'
import { planWriteAccounts, removeAccounts, writeAccounts } from '#agent/os/site-etc/accounts.ts'
import { MIN_UID } from '#shared/system-accounts.ts'

/**
 * Without subordinate ids, which no site may use: subuid(5) lists them with the user's name. With
 * numbers that no system account has, whatever login.defs(5) says.
 */
const NUMBERS = [
  ...['--key', 'SUB_UID_COUNT=0', '--key', 'SUB_GID_COUNT=0'],
  ...['--key', `UID_MIN=${MIN_UID}`, '--key', `GID_MIN=${MIN_UID}`],
]

const NGINX_USER = 'www-data'

/**
 * The comment field names the site of the user, so that no foreign user is ever removed. nginx reads
 * the files of a site as a member of the site's group, so that their creator and folder do not
 * matter: a site can give its files no other group. A running nginx gains the group by a reload,
 * which restarts its workers.
 */
export function createUser(host: Host, user: string, domain: string): Change {
  const home = ['--no-create-home', '--home-dir', homeOf(user), '--shell', '/usr/sbin/nologin']
  const comment = ['--comment', commentOf(domain)]
  const options = [...home, '--user-group', ...NUMBERS, ...comment]
  const made = [effects.create('user', user), effects.create('group', user)]
  return declared([...made, ...planWriteAccounts(host, user)], async () => {
    await host.shell.run(['useradd', ...options, '--', user])
    await host.shell.run(['gpasswd', '--add', NGINX_USER, user])
    await writeAccounts(host, user)
  })
}

async function admits(host: Host, user: string): Promise<boolean> {
  const [, , , members = ''] = (await entryOf(host, '/etc/group', user)) ?? []
  return members.trim().split(',').includes(NGINX_USER)
}

/**
 * The numbers of a user of a site and of its group. Throws for a user that does not exist, and for a
 * system account.
 */
export async function accountNumbers(
  host: Host,
  user: string,
): Promise<{ uid: number; gid: number }> {
  const [, , uid = '', gid = ''] = (await entryOf(host, '/etc/passwd', user)) ?? []
  if (Number(uid) >= MIN_UID && Number(gid) >= MIN_UID)
    return { uid: Number(uid), gid: Number(gid) }
  throw new Error(`/etc/passwd has no user ${user} with a number that a site can have`)
}

/** Ends the processes of the user, then removes user and group; a user of another site stays. */
export const removeUser = (host: Host, user: string, domain: string): Change =>
  provided(
    () => isOf(host, user, domain),
    inOrder(
      declared([effects.remove('user', user), effects.remove('group', user)], async () => {
        await stopSlice(host, user)
        await endProcesses(host, user)
      }),
      removeAccounts(host, user),
      withoutAccess(host, user),
      managerAllowed(host, user),
      declared([], async () => {
        // Without members userdel(8) removes the group too: a group without its user would never be removed.
        if (await admits(host, user))
          await host.shell.run(['gpasswd', '--delete', NGINX_USER, user])
        await host.shell.run(['userdel', '--', user])
        if (await entryOf(host, '/etc/group', user)) await host.shell.run(['groupdel', '--', user])
      }),
    ),
  )

/** The user's folder belongs to root, so that the user cannot rename or replace its entries. */
export function createFolders({ files }: Host, user: string): Change {
  const [home, logs] = [homeOf(user), logsOf(user)]
  return declared([effects.create('folder', home), effects.create('folder', logs)], async () => {
    await files.mkdir(home, { mode: 0o711 })
    await files.mkdir(`${home}/public`, { mode: 0o750, owner: user })
    await files.mkdir(`${home}/logs`, { mode: 0o750, owner: user })
    await files.mkdir(`${home}/tmp`, { mode: 0o700, owner: user })
    await files.mkdir(`${home}/sessions`, { mode: 0o700, owner: user })
    await files.mkdir(logs, { mode: 0o750, group: NGINX_USER })
  })
}

/** Syncs files that programs wrote, so that they survive a power failure. */
export async function settleFolders(host: Host, user: string): Promise<void> {
  await host.shell.run(['sync', '--file-system', '--', homeOf(user)])
}

/** Running processes of the user would fill the folders again: a copy outlives its agent. */
export async function removeFolders(host: Host, user: string, domain: string): Promise<void> {
  if (await isOf(host, user, domain)) await endProcesses(host, user)
  await removedTree(host, 'folder', homeOf(user)).apply()
  await host.files.remove(logsOf(user))
}

/**
 * Disables logins of the user and its cron(8) jobs: both check the expiry of an account
 * (pam_unix(8)). The number of the user stays in use.
 */
export const closeAccount = (host: Host, user: string, domain: string): Change =>
  provided(
    () => isOf(host, user, domain),
    declared([effects.change('user', user)], async () => {
      await host.shell.run(['usermod', '--expiredate', '1', '--', user])
      if (await hasGate(host, user))
        await host.shell.run(['usermod', '--expiredate', '1', '--', gateOf(user)])
      await lockClients(host, user, true)
      await endLogins(host, user)
      await endProcesses(host, user)
      await endShells(host, user)
    }),
  )

export const openAccount = (host: Host, user: string, domain: string): Change =>
  provided(
    () => isOf(host, user, domain),
    declared([effects.change('user', user)], async () => {
      await host.shell.run(['usermod', '--expiredate', '', '--', user])
      if (await hasGate(host, user))
        await host.shell.run(['usermod', '--expiredate', '', '--', gateOf(user)])
      await lockClients(host, user, false)
    }),
  )

/** Throws when they do not end. */
async function endProcesses(host: Host, user: string): Promise<void> {
  const all = ['--oknodo', '--quiet', '--retry=KILL/5', '--user', user]
  await host.shell.run(['start-stop-daemon', '--stop', ...all])
}

/** The comment of a user follows the domain of its site; a user of another site stays. */
export const renameSite = (host: Host, user: string, from: string, to: string): Change =>
  provided(
    () => isOf(host, user, from),
    declared([effects.change('user', user)], async () => {
      await host.shell.run(['usermod', '--comment', commentOf(to), '--', user])
      await writeAccounts(host, user)
    }),
  )

/** Whether the user is that of this site: never root or a system account, whatever its comment says. */
export async function isOf(host: Host, user: string, domain: string): Promise<boolean> {
  const [, , uid, , comment] = (await entryOf(host, '/etc/passwd', user)) ?? []
  return Number(uid) >= MIN_UID && comment === commentOf(domain)
}

const commentOf = (domain: string) => `Site ${domain}`

async function entryOf(host: Host, path: string, name: string): Promise<string[] | undefined> {
  const lines = ((await host.files.read(path, 64 << 20)) ?? '').split('\n')
  return lines.find((line) => line.startsWith(`${name}:`))?.split(':')
}
