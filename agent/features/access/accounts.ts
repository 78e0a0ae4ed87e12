import { type Change, declared, inOrder, provided } from '#agent/kernel/effects/change.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { stopSlice } from '#agent/kernel/sandbox/slice.ts'
import { removeAccounts } from '#agent/kernel/site-etc/accounts.ts'
import {
  endProcesses,
  entryOf,
  hasNginxMember,
  isUserOfSite,
  NGINX_USER,
} from '#agent/kernel/users/users.ts'
import { withoutAccess } from './access.ts'
import { lockClients } from './clients.ts'
import { endLogins } from './sessions.ts'
import { endShells, hasShellAccount, shellAccountOf } from './shell-account.ts'
import { unmaskManager } from './user-manager.ts'

/** Removes the user with its processes and its group; the user of another site stays. */
export const removeUser = (host: Host, user: string, domain: string): Change =>
  provided(
    () => isUserOfSite(host, user, domain),
    inOrder(
      declared([effects.remove('user', user), effects.remove('group', user)], async () => {
        await stopSlice(host, user)
        await endProcesses(host, user)
      }),
      removeAccounts(host, user),
      withoutAccess(host, user),
      unmaskManager(host, user),
      declared([], async () => {
        // Without members userdel(8) removes the group too: a group without its user would never be removed.
        if (await hasNginxMember(host, user))
          await host.shell.run(['gpasswd', '--delete', NGINX_USER, user])
        await host.shell.run(['userdel', '--', user])
        if (await entryOf(host, '/etc/group', user)) await host.shell.run(['groupdel', '--', user])
      }),
    ),
  )

/** Disables logins and cron(8) jobs of the user by its expiry (pam_unix(8)). Keeps its number. */
export const closeAccount = (host: Host, user: string, domain: string): Change =>
  provided(
    () => isUserOfSite(host, user, domain),
    declared([effects.change('user', user)], async () => {
      await host.shell.run(['usermod', '--expiredate', '1', '--', user])
      if (await hasShellAccount(host, user))
        await host.shell.run(['usermod', '--expiredate', '1', '--', shellAccountOf(user)])
      await lockClients(host, user, true)
      await endLogins(host, user)
      await endProcesses(host, user)
      await endShells(host, user)
    }),
  )

export const openAccount = (host: Host, user: string, domain: string): Change =>
  provided(
    () => isUserOfSite(host, user, domain),
    declared([effects.change('user', user)], async () => {
      await host.shell.run(['usermod', '--expiredate', '', '--', user])
      if (await hasShellAccount(host, user))
        await host.shell.run(['usermod', '--expiredate', '', '--', shellAccountOf(user)])
      await lockClients(host, user, false)
    }),
  )
