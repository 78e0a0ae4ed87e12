import {
  type Change,
  declared,
  folder,
  inOrder,
  provided,
  removed,
  written,
} from '#agent/kernel/effects/change.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { withoutClients } from './clients.ts'
import { renderKeys } from './keys.ts'
import { ACCESS_FOLDER, KEYS_FOLDER, keysOf, SFTP_GROUP } from './paths.ts'
import { withoutShellAccount } from './shell-account.ts'
import { withoutManager } from './user-manager.ts'

const DIRECTORY = { mode: 0o755 }

/** Writes the keys of a site as its record has them, and the group that allows logins. */
export function accessOf(host: Host, { user, access = [] }: Pick<Site, 'user' | 'access'>): Change {
  if (access.length === 0) return withoutSftp(host, user)
  const [path, text] = [keysOf(user), renderKeys(access)]
  return inOrder(
    folder(host, ACCESS_FOLDER, DIRECTORY),
    folder(host, KEYS_FOLDER, DIRECTORY),
    withoutManager(host, user),
    // sshd reads it as the user, and no other site can.
    written(host, path, text, { mode: 0o640, group: user }),
    provided(
      async () => !(await isMember(host, user)),
      declared([effects.change('group', SFTP_GROUP)], () =>
        host.shell.run(['gpasswd', '--add', user, SFTP_GROUP]),
      ),
    ),
  )
}

/** Nobody can log in any more, by SFTP, with a shell or with a password. */
export const withoutAccess = (host: Host, user: string): Change =>
  inOrder(withoutClients(host, user), withoutShellAccount(host, user), withoutSftp(host, user))

/** Keys first: from then on nobody can log in. */
const withoutSftp = (host: Host, user: string): Change =>
  inOrder(
    removed(host, 'file', keysOf(user)),
    provided(
      () => isMember(host, user),
      declared([effects.change('group', SFTP_GROUP)], () =>
        host.shell.run(['gpasswd', '--delete', user, SFTP_GROUP]),
      ),
    ),
  )

export async function isMember({ files }: Host, user: string): Promise<boolean> {
  const lines = ((await files.read('/etc/group', 64 << 20)) ?? '').split('\n')
  const [, , , members = ''] =
    lines.find((line) => line.startsWith(`${SFTP_GROUP}:`))?.split(':') ?? []
  return members.split(',').includes(user)
}
