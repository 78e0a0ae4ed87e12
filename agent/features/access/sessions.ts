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

/**
 * Ends the processes of root that check a login and then start its session. sshd(8) shows the user
 * in their title before it reads keys and asks PAM; a user name contains no blank.
 */
export async function endLogins(host: Host, user: string): Promise<void> {
  const isOwn = (login: string) =>
    login === user || login === shellAccountOf(user) || isClientOf(user, login)
  for (const { pid, line, root } of await systemProcesses(host)) {
    const [, name, login = ''] = CHECKING.exec(line) ?? []
    if (root && name !== undefined && isOwn(login))
      await endProcesses(host, ['--pid', `${pid}`, '--user', 'root', '--name', name])
  }
}

/** Repeats the signal: a process may start another one just before its end. */
const RETRIES = '--retry=KILL/1/KILL/1/KILL/5'

const endProcesses = ({ shell }: Host, which: readonly string[]) =>
  shell.run(['start-stop-daemon', '--stop', '--oknodo', '--quiet', RETRIES, ...which])
