import { accessOf, withoutAccess } from '#agent/features/access/access.ts'
import { SFTP_GROUP } from '#agent/features/access/paths.ts'
import { shellKeysOf, shellOf } from '#agent/features/access/shell/shell.ts'
import { SHELL_GROUP, shellAccountOf } from '#agent/features/access/shell-account.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { AccessKind } from '#shared/access/site-access.ts'
import { byKey, loginProblem, type SshLogin } from './login.ts'

/** Returns the path of the SSH key of a person, which is removed with the traces of a check. */
export const keyOf = (host: Host, { user }: Site) => `${host.settings.state_dir}/key-${user}`

/** Returns the reason why nobody can have this access on this server. */
export const accessProblem = (host: Host, kind: AccessKind) =>
  loginProblem(host, kind === 'shell' ? SHELL_GROUP : SFTP_GROUP)

/** Gives a new person access to a site. */
export async function givePerson(host: Host, site: Site, kind: AccessKind): Promise<SshLogin> {
  const file = keyOf(host, site)
  await host.shell.run(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', file])
  const [type, blob] = ((await host.files.read(`${file}.pub`)) ?? '').trim().split(' ')
  const keys = [`${type} ${blob}`]
  const person = { id: 1, person: 'Isolation', kind, expires_at: null, keys }
  const owner = { ...site, access: [person] }
  await accessOf(host, owner).apply()
  if (kind === 'sftp') return byKey(site.user, file)
  await shellOf(host, owner).apply()
  await shellKeysOf(host, owner).apply()
  return byKey(shellAccountOf(site.user), file)
}

/** Removes the access of every person to a site, also one that was not completely given. */
export async function removePeople(host: Host, site: Site): Promise<void> {
  await withoutAccess(host, site.user).apply()
  await removeKeys(host, site)
}

export async function removeKeys(host: Host, site: Site): Promise<void> {
  const file = keyOf(host, site)
  for (const path of [file, `${file}.pub`]) await host.files.remove(path)
}
