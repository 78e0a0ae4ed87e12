import { posix } from 'node:path'
import { DROP_IN, SSHD } from '#agent/features/access/paths.ts'
import { effectiveSettings } from '#agent/features/access/ssh/effective.ts'
import { AGENT_SOCKET } from '#agent/features/isolation/attacks/sockets.ts'
import { OBJECTS_FOLDER, socketOf as objectsOf } from '#agent/features/object-cache/paths.ts'
import {
  RUN_FOLDER as FPM_SOCKETS,
  socketOf as fpmSocketOf,
} from '#agent/features/php/fpm-files.ts'
import { RUN_FOLDER as PURGE_SOCKETS, purgeSocketOf } from '#agent/features/web/page-purge/paths.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { MAIL_PATHS } from '#agent/kernel/mail/paths.ts'
import { reachedSockets } from './forwarded-sockets.ts'
import type { Scene } from './scene.ts'

const SFTP = '/usr/bin/sftp'
const SSH = '/usr/bin/ssh'
const LIMIT_MS = 30_000
const MARIADB = '/run/mysqld/mysqld.sock'
/** The folders of the sockets of other sites, and of the agent. */
const FOLDERS = [`/run/${OBJECTS_FOLDER}`, FPM_SOCKETS, PURGE_SOCKETS, posix.dirname(AGENT_SOCKET)]
/** Names that nobody may list, outside of the lines in which sftp repeats its commands. */
const FOREIGN =
  /^(?!sftp> ).*(sshd_config|wp-config\.php|tmp\/logins\/.|hosting-objects\/.|root\.sock|\b[0-9a-f]{32}\b)/m

export interface SshLogin {
  account: string
  options: readonly string[]
  env?: Record<string, string>
}

const optionsOf = (settings: Record<string, string>) =>
  Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])

/** Skips the check of the host key: the server is this one. */
const SERVER = optionsOf({
  StrictHostKeyChecking: 'no',
  UserKnownHostsFile: '/dev/null',
  LogLevel: 'ERROR',
  ConnectTimeout: '10',
})

const PASSWORD = optionsOf({
  BatchMode: 'no',
  PreferredAuthentications: 'password',
  PubkeyAuthentication: 'no',
  NumberOfPasswordPrompts: '1',
})

const KEY = optionsOf({ BatchMode: 'yes', PreferredAuthentications: 'publickey' })

/** Logs in by password; `askpass` prints it, so that no argument or variable has it. */
export const byPassword = (account: string, askpass: string): SshLogin => ({
  account,
  options: PASSWORD,
  env: { SSH_ASKPASS: askpass, SSH_ASKPASS_REQUIRE: 'force' },
})

/** Returns the programs that the clients of OpenSSH start for a login, and that of the password. */
const startedBy = ({ env = {} }: Pick<SshLogin, 'env'>): string[] => [
  SSH,
  ...(env.SSH_ASKPASS === undefined ? [] : ['/bin/sh', env.SSH_ASKPASS]),
]

export const byKey = (account: string, file: string): SshLogin => ({
  account,
  options: [...KEY, ...optionsOf({ IdentitiesOnly: 'yes', IdentityFile: file })],
})

/** Returns why nobody logs in to sites of this server as the members of a group do. */
export async function loginProblem({ files }: Host, group: string): Promise<string | undefined> {
  const has = async (path: string) => (await files.stat(path)) !== undefined
  const groups = (await files.read('/etc/group', 64 << 20)) ?? ''
  const isMade = groups.split('\n').some((line) => line.startsWith(`${group}:`))
  if (!((await has(SSHD)) && (await has(DROP_IN)) && isMade)) return 'no site has such logins'
  return (await has(SFTP)) ? undefined : 'openssh-client is not installed'
}

/** Runs SFTP commands, one in a line. */
export const runSftp = (host: Host, login: SshLogin, lines: readonly string[]) =>
  runLogin(host, [SFTP, '-b', '-'], login, { lines })

export const ssh = (
  host: Host,
  login: SshLogin,
  command: readonly string[],
  more: readonly string[] = [],
  timeout_ms?: number,
) => runLogin(host, [SSH, ...more], login, { command, timeout_ms })

/** Returns what somebody with access to files only did; `other` is their login to another site. */
export async function escapes(scene: Scene, own: SshLogin, other: SshLogin): Promise<string[]> {
  const { host, attacker, neighbour } = scene
  const home = `/srv/www/${neighbour.user}`
  const ways = [
    '/etc/ssh',
    '../../../etc/ssh',
    `${home}/public`,
    'etc/',
    `${home}/tmp/logins`,
    'tmp/logins',
    ...FOLDERS.flatMap((path) => [path, `../../..${path}`]),
  ]
  const lines = ['-ln -s ../../../../etc/ssh etc', ...ways.map((path) => `-ls -1 ${path}`)]
  const did: string[] = []
  const { stdout } = await runSftp(host, own, [...lines, '-rm etc'])
  if (FOREIGN.test(stdout)) did.push('listed folders outside of its site')
  for (const more of [[], ['-tt']]) {
    const { stdout } = await ssh(host, own, ['id', '-u'], more)
    if (/^\d+\s*$/m.test(stdout)) did.push('ran a program')
  }
  const port = (await effectiveSettings(host, attacker.user)).get('port')?.[0] ?? '22'
  const through = await ssh(host, own, [], ['-W', `127.0.0.1:${port}`])
  if (through.stdout.includes('SSH-2.0')) did.push('reached a port of the server')
  const sockets = [
    MARIADB,
    AGENT_SOCKET,
    MAIL_PATHS.socket(neighbour.user),
    objectsOf(neighbour.user),
    fpmSocketOf(neighbour),
    purgeSocketOf(neighbour.user),
  ]
  const argv = await argvOf(host, [SSH], own)
  const connection = { argv, env: own.env ?? {}, starts: startedBy(own) }
  for (const socket of await reachedSockets(host, attacker, connection, sockets))
    did.push(`reached ${socket}`)
  if ((await runSftp(host, other, ['ls'])).code === 0) did.push('logged in to its neighbour')
  return did
}

interface LoginInput {
  lines?: readonly string[]
  command?: readonly string[]
  timeout_ms?: number | undefined
}

async function runLogin(
  host: Host,
  program: readonly string[],
  login: SshLogin,
  { lines = [], command = [], timeout_ms = LIMIT_MS }: LoginInput,
) {
  const argv = await argvOf(host, program, login)
  const input = lines.map((line) => `${line}\n`).join('')
  const starts = startedBy(login)
  const options = { env: login.env ?? {}, input, unconfined: true, starts, timeout_ms }
  return host.shell.try([...argv, ...command], options)
}

/** Returns the command line of a client of OpenSSH up to the account. */
async function argvOf(
  host: Host,
  [program = '', ...more]: readonly string[],
  { account, options }: SshLogin,
): Promise<string[]> {
  const settings = await effectiveSettings(host, account)
  const port = ['-o', `Port=${settings.get('port')?.[0] ?? '22'}`]
  // Settings first: of two values of one, the first one counts.
  return [program, ...SERVER, ...options, ...port, ...more, `${account}@127.0.0.1`]
}
