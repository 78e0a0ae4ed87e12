import type { Host } from '#agent/host/ports.ts'
import { endShells } from './gate.ts'

/** Of the process of a session that runs as its user, on Debian 12 and 13. */
const NAMES = ['sshd', 'sshd-session']
/** A login that was accepted before the change has its session by then. */
const LATE_MS = 1000

/** Ends all SSH sessions of a site, but none of its other processes. */
export async function endSessions(host: Host, user: string): Promise<void> {
  await endAll(host, user)
  await host.clock.sleep(LATE_MS)
  await endAll(host, user)
}

async function endAll(host: Host, user: string): Promise<void> {
  const { shell } = host
  await endShells(host, user)
  const options = ['--oknodo', '--quiet', '--retry=KILL/5', '--user', user]
  for (const name of NAMES)
    await shell.run(['start-stop-daemon', '--stop', ...options, '--name', name])
}
