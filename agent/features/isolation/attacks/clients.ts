import {
  CLIENT_GROUP,
  clientAccountsOf,
  loginOf,
  withoutClients,
} from '#agent/features/access/clients.ts'
import {
  notApplicable,
  refused,
  type SceneAttack,
  succeeded,
} from '#agent/features/isolation/attack.ts'
import { byPassword, escapes, loginProblem, runSftp } from '#agent/features/isolation/login.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'

const TOKEN = 'isolated'

/** Returns the path of the program that prints the password; removed with the check's traces. */
export const askpassOf = (host: Host, { user }: Site) =>
  `${host.settings.state_dir}/askpass-${user}`

/** Attacks by people with a password: see features/access/clients.ts. */
export const CLIENT_ATTACKS = {
  'ssh.clients': {
    severity: 'critical',
    title: 'Leave a site through a client account',
    meaning:
      'A client of one site reads another one, or gets a shell, a socket or a network of the server.',
    async attempt(scene) {
      const { host, attacker, neighbour } = scene
      const reason = await loginProblem(host, CLIENT_GROUP)
      if (reason !== undefined) return notApplicable(reason)
      try {
        const password = host.random.text(32)
        await giveAccount(host, attacker, password)
        await giveAccount(host, neighbour, host.random.text(32))
        const path = askpassOf(host, attacker)
        await host.files.write(path, `#!/bin/sh\necho '${password}'\n`, { mode: 0o700 })
        const login = ({ user }: Site) => byPassword(loginOf(user, TOKEN), path)
        const own = await runSftp(host, login(attacker), ['ls'])
        if (own.code !== 0) return notApplicable('the SSH server does not answer on this server')
        const did = await escapes(scene, login(attacker), login(neighbour))
        return did.length > 0 ? succeeded(`it ${did.join(', ')}`) : refused()
      } finally {
        const steady = host.steady ?? host
        await steady.files.remove(askpassOf(host, attacker))
        for (const { user } of [attacker, neighbour]) await withoutClients(steady, user).apply()
      }
    },
  },
} as const satisfies Record<string, SceneAttack>

async function giveAccount(host: Host, { user }: Site, password: string): Promise<void> {
  const client = { token: TOKEN, label: 'Isolation', expires_at: null, password_hash: '' }
  await clientAccountsOf(host, { user, clients: [client] }).apply()
  const input = `${loginOf(user, TOKEN)}:${password}\n`
  await host.shell.run(['chpasswd', '--crypt-method', 'SHA512'], { input })
}
