import type { Host } from '#agent/host/ports.ts'
import {
  CLIENT_GROUP,
  clientAccountsOf,
  loginOf,
  withoutClients,
} from '#agent/os/access/clients.ts'
import { DROP_IN, SSHD } from '#agent/os/access/places.ts'
import { notApplicable, refused, type SceneAttack, succeeded } from '#agent/os/isolation/attack.ts'
import type { Scene } from '#agent/os/isolation/scene.ts'
import type { Site } from '#agent/os/site/sites.ts'
import { effectiveOf } from '#agent/os/ssh/effective.ts'

const TOKEN = 'isolated'
const SFTP = '/usr/bin/sftp'
const LIMIT_MS = 30_000
/** Only the password of the account counts, and the key of the server is known: it is this one. */
const OPTIONS = Object.entries({
  BatchMode: 'no',
  PreferredAuthentications: 'password',
  PubkeyAuthentication: 'no',
  NumberOfPasswordPrompts: '1',
  StrictHostKeyChecking: 'no',
  UserKnownHostsFile: '/dev/null',
  LogLevel: 'ERROR',
  ConnectTimeout: '10',
}).flatMap(([name, value]) => ['-o', `${name}=${value}`])

/** Prints the password of the accounts; removed with the traces of a check. */
export const askpassOf = (host: Host, { user }: Site) =>
  `${host.settings.state_dir}/askpass-${user}`

/** People with a password: see os/access/clients.ts. */
export const CLIENTS = {
  'ssh.clients': {
    severity: 'critical',
    title: 'Leave a site through a client account',
    meaning: 'A client of one site reads another one, or gets a shell or a network of the server.',
    async attempt(scene) {
      const { host, attacker, neighbour } = scene
      const reason = await missing(host)
      if (reason !== undefined) return notApplicable(reason)
      try {
        const password = host.random.text(32)
        await give(host, attacker, password)
        await give(host, neighbour, host.random.text(32))
        const path = askpassOf(host, attacker)
        await host.files.write(path, `#!/bin/sh\necho '${password}'\n`, { mode: 0o700 })
        const own = await listed(scene, attacker, ['ls'])
        if (own.code !== 0) return notApplicable('the SSH server does not answer on this server')
        const did = await attempts(scene)
        return did.length > 0 ? succeeded(`it ${did.join(', ')}`) : refused()
      } finally {
        const steady = host.steady ?? host
        await steady.files.remove(askpassOf(host, attacker))
        for (const { user } of [attacker, neighbour]) await withoutClients(steady, user).apply()
      }
    },
  },
} as const satisfies Record<string, SceneAttack>

/** Why there are no client accounts on this server. */
async function missing({ files }: Host): Promise<string | undefined> {
  const has = async (path: string) => (await files.stat(path)) !== undefined
  const groups = (await files.read('/etc/group', 64 << 20)) ?? ''
  const isMade = groups.split('\n').some((line) => line.startsWith(`${CLIENT_GROUP}:`))
  if (!((await has(SSHD)) && (await has(DROP_IN)) && isMade)) return 'no site has client accounts'
  return (await has(SFTP)) ? undefined : 'openssh-client is not installed'
}

async function give(host: Host, { user }: Site, password: string): Promise<void> {
  const client = { token: TOKEN, label: 'Isolation', expires_at: null, password_hash: '' }
  await clientAccountsOf(host, { user, clients: [client] }).apply()
  const input = `${loginOf(user, TOKEN)}:${password}\n`
  await host.shell.run(['chpasswd', '--crypt-method', 'SHA512'], { input })
}

async function attempts(scene: Scene): Promise<string[]> {
  const { attacker, neighbour } = scene
  const ways = ['/etc/ssh', '../../../etc/ssh', `/srv/www/${neighbour.user}/public`, 'etc/']
  const lines = ['-ln -s ../../../../etc/ssh etc', ...ways.map((path) => `-ls -1 ${path}`)]
  const did: string[] = []
  const { stdout } = await listed(scene, attacker, [...lines, '-rm etc'])
  if (/sshd_config|wp-config\.php/.test(stdout)) did.push('listed folders outside of its site')
  for (const more of [[], ['-tt']]) {
    const { stdout } = await ssh(scene, more, ['id', '-u'])
    if (/^\d+\s*$/m.test(stdout)) did.push('ran a program')
  }
  const port = (await effectiveOf(scene.host, attacker.user)).get('port')?.[0] ?? '22'
  const through = await ssh(scene, ['-W', `127.0.0.1:${port}`], [])
  if (through.stdout.includes('SSH-2.0')) did.push('reached a port of the server')
  if ((await listed(scene, neighbour, ['ls'])).code === 0) did.push('logged in to its neighbour')
  return did
}

const listed = (scene: Scene, { user }: Site, lines: readonly string[]) =>
  asked(scene, [SFTP, '-b', '-'], loginOf(user, TOKEN), { lines })

const ssh = (scene: Scene, more: readonly string[], command: readonly string[]) =>
  asked(scene, ['/usr/bin/ssh', ...more], loginOf(scene.attacker.user, TOKEN), { command })

/** The password is in a file of root: in no argument, and in no variable. */
async function asked(
  { host, attacker }: Scene,
  [program = '', ...options]: readonly string[],
  login: string,
  { lines = [], command = [] }: { lines?: readonly string[]; command?: readonly string[] },
) {
  const settings = await effectiveOf(host, attacker.user)
  const port = ['-o', `Port=${settings.get('port')?.[0] ?? '22'}`]
  const env = { SSH_ASKPASS: askpassOf(host, attacker), SSH_ASKPASS_REQUIRE: 'force' }
  // Settings first: of two values of one, the first one counts.
  const argv = [program, ...OPTIONS, ...port, ...options, `${login}@127.0.0.1`, ...command]
  const input = lines.map((line) => `${line}\n`).join('')
  return host.shell.try(argv, { env, input, unconfined: true, timeout_ms: LIMIT_MS })
}
