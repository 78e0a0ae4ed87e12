import type { Host } from '#agent/kernel/host/ports.ts'
import { systemProcesses } from '#agent/kernel/host/processes/processes.ts'
import { isClientOf } from './clients.ts'
import { endShells, shellAccountOf } from './shell-account.ts'

/** The names that the processes of an SSH session have on Debian 12 and 13. */
const NAMES = ['sshd', 'sshd-session']
const CHECKING = /^(sshd|sshd-session): (\S+) \[priv\]$/

/**
 * Ends all SSH sessions of a site, but none of its other processes. The processes that start
 * sessions end first: a login that sshd checked earlier has no session afterwards.
 */
export async function endSessions(host: Host, user: string): Promise<void> {
  await endLogins(host, user)
  await endShells(host, user)
  for (const name of NAMES) await endProcesses(host, ['--user', user, '--name', name])
}

/** A process of root that checks a login, starts its session, and waits for its end. */
export interface LoginProcess {
  pid: number
  /** The name of the program. */
  name: string
  /** The account. */
  login: string
}

/**
 * Lists the processes of root for logins and their sessions. sshd(8) shows the user in their title
 * before it reads keys and asks PAM; a user name contains no blank.
 */
export async function loginProcesses(host: Host): Promise<LoginProcess[]> {
  return (await systemProcesses(host)).flatMap(({ pid, line, root }) => {
    const [, name, login] = CHECKING.exec(line) ?? []
    return root && name !== undefined && login !== undefined ? [{ pid, name, login }] : []
  })
}

/** Ends the processes of root that check a login to a site and then start its session. */
export async function endLogins(host: Host, user: string): Promise<void> {
  const isOwn = (login: string) =>
    login === user || login === shellAccountOf(user) || isClientOf(user, login)
  for (const { pid, name, login } of await loginProcesses(host))
    if (isOwn(login))
      await endProcesses(host, ['--pid', `${pid}`, '--user', 'root', '--name', name])
}

/**
 * Ends one session. Its process of root passes SIGTERM on to the session and records the end; what
 * is left of it afterwards is killed.
 */
export async function endSession(host: Host, { pid, name, login }: LoginProcess): Promise<void> {
  const children = (await host.files.read(`/proc/${pid}/task/${pid}/children`)) ?? ''
  await endProcesses(host, ['--pid', `${pid}`, '--user', 'root', '--name', name], GRACEFUL)
  for (const child of children.split(' ').filter((text) => /^\d+$/.test(text)))
    await endProcesses(host, ['--pid', child, '--user', login, '--name', name])
}

/** Repeats the signal: a process may start another one just before its end. */
const RETRIES = 'KILL/1/KILL/1/KILL/5'
const GRACEFUL = 'TERM/5/KILL/5'

const endProcesses = ({ shell }: Host, which: readonly string[], retries = RETRIES) =>
  shell.run(['start-stop-daemon', '--stop', '--oknodo', '--quiet', `--retry=${retries}`, ...which])
