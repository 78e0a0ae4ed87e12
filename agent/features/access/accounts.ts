import { type Change, declared, inOrder, provided } from '#agent/kernel/effects/change.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { stopSlice } from '#agent/kernel/sandbox/slice.ts'
import { removeAccounts } from '#agent/kernel/site-etc/accounts.ts'
import { admits, endProcesses, entryOf, isOf, NGINX_USER } from '#agent/kernel/users/users.ts'
import { withoutAccess } from './access.ts'
import { lockClients } from './clients.ts'
import { endShells, gateOf, hasGate } from './gate.ts'
import { endLogins } from './sessions.ts'
import { managerAllowed } from './user-manager.ts'

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
