import { type Change, declared, provided, removedTree } from '#agent/kernel/effects/change.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { homeOf, logsOf } from '#agent/kernel/site/paths.ts'
import { accountFolders, writeAccounts } from '#agent/kernel/site-etc/accounts.ts'
import { MIN_UID } from '#shared/kernel/system-accounts.ts'

/**
 * The options of numbers. Without subordinate ids, which no site may use: subuid(5) lists them with
 * the user's name. With numbers that no system account has, whatever login.defs(5) says.
 */
const NUMBER_OPTIONS = [
  '--key',
  'SUB_UID_COUNT=0',
  '--key',
  'SUB_GID_COUNT=0',
  '--key',
  `UID_MIN=${MIN_UID}`,
  '--key',
  `GID_MIN=${MIN_UID}`,
]

export const NGINX_USER = 'www-data'

/**
 * Creates the user. The comment field names the site of the user, so that no foreign user is ever
 * removed. nginx reads the files of a site as a member of the site's group, so that their creator
 * and folder do not matter: a site can give its files no other group. A running nginx gains the
 * group by a reload, which restarts its workers.
 */
export function createUser(host: Host, user: string, domain: string): Change {
  const home = ['--no-create-home', '--home-dir', homeOf(user), '--shell', '/usr/sbin/nologin']
  const comment = ['--comment', commentOf(domain)]
  const options = [...home, '--user-group', ...NUMBER_OPTIONS, ...comment]
  const folders = accountFolders(host, user).map((path) => effects.create('folder', path))
  const made = [effects.create('user', user), effects.create('group', user), ...folders]
  return declared(made, async () => {
    await host.shell.run(['useradd', ...options, '--', user])
    await host.shell.run(['gpasswd', '--add', NGINX_USER, user])
    await writeAccounts(host, user)
  })
}

export async function hasNginxMember(host: Host, user: string): Promise<boolean> {
  const [, , , members = ''] = (await entryOf(host, '/etc/group', user)) ?? []
  return members.trim().split(',').includes(NGINX_USER)
}

/** Returns the numbers of a site's user and group. Throws for none and for a system account. */
export async function accountNumbers(
  host: Host,
  user: string,
): Promise<{ uid: number; gid: number }> {
  const [, , uid = '', gid = ''] = (await entryOf(host, '/etc/passwd', user)) ?? []
  if (Number(uid) >= MIN_UID && Number(gid) >= MIN_UID)
    return { uid: Number(uid), gid: Number(gid) }
  throw new Error(`/etc/passwd has no user ${user} with a number that a site can have`)
}

/** Creates the folders. That of the user belongs to root, so that its entries stay. */
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
export async function syncFolders(host: Host, user: string): Promise<void> {
  await host.shell.run(['sync', '--file-system', '--', homeOf(user)])
}

/** Removes the folders after the end of processes, which would refill them, as cp does. */
export async function removeFolders(host: Host, user: string, domain: string): Promise<void> {
  if (await isUserOfSite(host, user, domain)) await endProcesses(host, user)
  await removedTree(host, 'folder', homeOf(user)).apply()
  await host.files.remove(logsOf(user))
}

/** Ends all processes of a user. Throws when they do not end. */
export async function endProcesses(host: Host, user: string): Promise<void> {
  const all = ['--oknodo', '--quiet', '--retry=KILL/5', '--user', user]
  await host.shell.run(['start-stop-daemon', '--stop', ...all])
}

/** Changes the comment to the domain of the site, in each attempt; a user of another site stays. */
export const renameUserComment = (host: Host, user: string, from: string, to: string): Change =>
  provided(
    async () => (await isUserOfSite(host, user, from)) || (await isUserOfSite(host, user, to)),
    declared([effects.change('user', user)], async () => {
      if (await isUserOfSite(host, user, from))
        await host.shell.run(['usermod', '--comment', commentOf(to), '--', user])
      // An interrupted attempt may have changed the user alone.
      await writeAccounts(host, user)
    }),
  )

/** Returns whether the user is that of this site: never root or a system account. */
export async function isUserOfSite(host: Host, user: string, domain: string): Promise<boolean> {
  const [, , uid, , comment] = (await entryOf(host, '/etc/passwd', user)) ?? []
  return Number(uid) >= MIN_UID && comment === commentOf(domain)
}

const commentOf = (domain: string) => `Site ${domain}`

/** Returns the fields of a user or group in a file such as passwd(5). */
export async function entryOf(
  host: Host,
  path: string,
  name: string,
): Promise<string[] | undefined> {
  const lines = ((await host.files.read(path, 64 << 20)) ?? '').split('\n')
  return lines.find((line) => line.startsWith(`${name}:`))?.split(':')
}
