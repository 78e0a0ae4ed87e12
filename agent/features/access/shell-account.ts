import { createHash } from 'node:crypto'
import {
  type Change,
  declared,
  inOrder,
  provided,
  removed,
  removedGenerated,
} from '#agent/kernel/effects/change.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { UNITS } from '#agent/kernel/services/systemd.ts'
import { LIBRARY } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { isMet, NEEDS } from '#shared/kernel/needs.ts'
import { keysOf } from './paths.ts'
import { unmaskManager } from './user-manager.ts'

/** The group of the accounts that people log in with for a shell: sshd recognises them by it. */
export const SHELL_GROUP = 'hosting-shell'
const MAX_NAME = 32

/**
 * Names the account for the shell of a site: no site user has a dot in its name. It may connect to
 * the socket of the shell and has no other right. The site cannot see its processes: with the same
 * number, a program in the sandbox could leave it through their view of the file system.
 */
export function shellAccountOf(user: string): string {
  const name = `${user}.ssh`
  if (name.length <= MAX_NAME) return name
  const digest = createHash('sha256').update(user).digest('hex').slice(0, 8)
  return `${user.slice(0, MAX_NAME - 13)}.${digest}.ssh`
}

export const RUN_FOLDER = '/run/hosting-shell'
/** Only the shell account may connect. Every process can read the path, so it names no site. */
export function socketOf(user: string): string {
  const digest = createHash('sha256').update(`hosting-shell ${user}`).digest('hex')
  return `${RUN_FOLDER}/${digest.slice(0, 32)}.sock`
}
/** The client finds the socket by this link; only shell accounts can see its folder. */
export const linkOf = (user: string) => `${RUN_FOLDER}/${shellAccountOf(user)}`
export const socketUnitOf = (user: string) => `hosting-shell-${user}.socket`
export const templateOf = (user: string) => `hosting-shell-${user}@.service`
/** A pattern for all sessions of a site: systemctl(1) matches loaded units. */
const sessionsOf = (user: string) => `hosting-shell-${user}@*.service`
export const unitPath = (unit: string) => `${UNITS}/${unit}`
export const WANTS_FOLDER = `${UNITS}/sockets.target.wants`
export const wantsPath = (unit: string) => `${WANTS_FOLDER}/${unit}`

const commentOf = (user: string) => `Shell of ${user}`

/** Returns whether the account exists; one that this agent did not create does not count. */
export async function hasShellAccount({ files }: Host, user: string): Promise<boolean> {
  const lines = ((await files.read('/etc/passwd', 64 << 20)) ?? '').split('\n')
  const line = lines.find((one) => one.startsWith(`${shellAccountOf(user)}:`))
  return line?.split(':')[4] === commentOf(user)
}

/** Returns whether the account has another home or program than it should. */
export async function isShellAccountChanged(
  { files }: Host,
  user: string,
  home: string,
): Promise<boolean> {
  const lines = ((await files.read('/etc/passwd', 64 << 20)) ?? '').split('\n')
  const fields = lines.find((one) => one.startsWith(`${shellAccountOf(user)}:`))?.split(':') ?? []
  return fields[5] !== home || fields[6] !== SHELL_CLIENT
}

/** The start of the client: the only program that the account can run, whatever sshd has read. */
export const SHELL_CLIENT = `${LIBRARY}/shell-client`

/** Returns the options of useradd(8). The home is that of the site, so no site sees the account. */
export const shellAccountOptions = (user: string, home: string): string[] => [
  '--system',
  '--no-create-home',
  '--home-dir',
  home,
  '--no-user-group',
  '--gid',
  SHELL_GROUP,
  '--shell',
  SHELL_CLIENT,
  '--comment',
  commentOf(user),
]

export const hasShell = ({ access = [] }: Pick<Site, 'access'>): boolean =>
  access.some(({ kind }) => kind === 'shell')

/**
 * Ends the clients of people, and their sessions in the sandbox. The restart of the socket drops
 * connections that systemd has not accepted yet, which would start sessions afterwards.
 */
export async function endShells(host: Host, user: string): Promise<void> {
  if (!(await hasShellAccount(host, user))) return
  const all = ['--oknodo', '--quiet', '--retry=KILL/5', '--user', shellAccountOf(user)]
  await host.shell.run(['start-stop-daemon', '--stop', ...all])
  if (!isMet(NEEDS.shell, host)) return
  const socket = socketUnitOf(user)
  // Clears the count of its starts, which systemd limits.
  await host.shell.try(['systemctl', 'reset-failed', socket])
  await host.shell.try(['systemctl', 'try-restart', socket])
  await host.shell.try(['systemctl', 'stop', sessionsOf(user)])
}

/** Removes keys first so that nobody logs in, and the account last: a repeated removal finds it. */
export function withoutShellAccount(host: Host, user: string): Change {
  const [socket, template] = [socketUnitOf(user), templateOf(user)]
  const units = inOrder(
    removed(host, 'link', wantsPath(socket)),
    removedGenerated(host, unitPath(socket), unitPath(template)),
  )
  return inOrder(
    removed(host, 'file', keysOf(shellAccountOf(user))),
    provided(
      () => host.files.stat(unitPath(socket)),
      inOrder(socketStopped(host, user), units, reread(host)),
    ),
    provided(
      () => hasShellAccount(host, user),
      inOrder(
        declared([], () => endShells(host, user)),
        unmaskManager(host, shellAccountOf(user)),
        declared([effects.remove('user', shellAccountOf(user))], () =>
          host.shell.run(['userdel', '--', shellAccountOf(user)]),
        ),
      ),
    ),
  )
}

const reread = (host: Host): Change =>
  declared([], () => host.shell.run(['systemctl', 'daemon-reload']))

/** systemd removes a socket that it stops, and the link to it. */
const socketStopped = (host: Host, user: string): Change => ({
  async effects() {
    const sockets = await effects.removalsOf(host, 'socket', socketOf(user))
    return [
      ...(sockets.length > 0 ? [effects.remove('service', socketUnitOf(user))] : []),
      ...sockets,
      ...(await effects.removalsOf(host, 'link', linkOf(user))),
    ]
  },
  apply: async () => void (await host.shell.run(['systemctl', 'stop', socketUnitOf(user)])),
})

/** With the units as they are now. */
export const socketStarted = (host: Host, user: string): Change => ({
  async effects() {
    const sockets = await effects.creationsOf(host, 'socket', socketOf(user))
    return [
      ...(sockets.length > 0 ? [effects.create('service', socketUnitOf(user))] : []),
      ...sockets,
      ...(await effects.creationsOf(host, 'link', linkOf(user))),
    ]
  },
  async apply() {
    await reread(host).apply()
    await host.shell.run(['systemctl', 'start', socketUnitOf(user)])
  },
})
