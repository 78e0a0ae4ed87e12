import { basename } from 'node:path'
import type { Machine } from './machine.ts'
import type { Settings } from './options.ts'
import { PROGRAM, SERVICE } from './paths.ts'

const PAUSE_MS = 250
const ANSWER_MS = 5_000

/** The number of starts that ended immediately, after which another one is useless. */
const MAX_STARTS = 4

/**
 * Whether the dashboard answers within `timeout_ms`; stops early if it restarts repeatedly. Only
 * restarts from now on count: systemd 252 keeps the number of an enabled service that is stopped in the
 * pause before an automatic one.
 */
export async function isHealthy(
  machine: Pick<Machine, 'attempt'>,
  { port }: Pick<Settings, 'port'>,
  timeout_ms: number,
): Promise<boolean> {
  let before = Number.POSITIVE_INFINITY
  for (const end = performance.now() + timeout_ms; performance.now() < end; ) {
    const show = ['systemctl', 'show', '--value', '--property=NRestarts', SERVICE]
    const { stdout } = await machine.attempt(show, { reads: true })
    before = Math.min(before, Number(stdout))
    if (Number(stdout) - before >= MAX_STARTS) return false
    const signal = AbortSignal.timeout(ANSWER_MS)
    // Not through a proxy of the environment.
    const proxy = ''
    const answer = await fetch(`http://127.0.0.1:${port}/health`, { signal, proxy }).catch(() => {})
    if (answer?.status === 200) return true
    await Bun.sleep(PAUSE_MS)
  }
  return false
}

/** Returns the id of the process of the service; `0` if it does not run. */
export async function processOf(machine: Machine): Promise<string> {
  const show = ['systemctl', 'show', '--value', '--property=MainPID', SERVICE]
  const { stdout } = await machine.attempt(show, { reads: true })
  return stdout.trim()
}

/** Returns the last output of the service, on one line. */
export async function lastOutput(machine: Machine): Promise<string> {
  const argv = ['journalctl', '--unit', SERVICE, '--identifier', basename(PROGRAM)]
  const end = ['--lines', '5', '--output', 'cat', '--no-pager']
  const { stdout } = await machine.attempt([...argv, ...end], { reads: true })
  return stdout.trim().split('\n').join(' | ') || `see journalctl --unit ${SERVICE}`
}

/** Returns the answer at the public address on this server; throws if it is not the dashboard. */
export async function checkPublic(
  machine: Machine,
  { domain, tls }: Settings,
  timeout_ms = 20_000,
): Promise<void> {
  if (machine.dry) return
  const curl = ['curl', '--silent', '--show-error', '--fail', '--noproxy', '*', '--max-time', '5']
  const here = ['--resolve', `${domain}:443:127.0.0.1`, `https://${domain}/health`]
  const end = performance.now() + timeout_ms
  for (;;) {
    const { status, message } = await machine.attempt([...curl, '--insecure', ...here], {
      reads: true,
    })
    if (status === 0) break
    if (performance.now() > end) throw new Error(`https://${domain} does not answer: ${message}`)
    await Bun.sleep(PAUSE_MS)
  }
  if (tls === 'self-signed') return
  const { status, message } = await machine.attempt([...curl, ...here], { reads: true })
  const [why] = message.split('\n')
  if (status !== 0) machine.log(`Note: this server does not trust the certificate: ${why}`)
}
