import { basename } from 'node:path'
import type { Machine } from './machine.ts'
import type { Settings } from './options.ts'
import { SERVICE } from './paths.ts'

const PAUSE_MS = 250
const ANSWER_MS = 5_000

/** So many starts that ended at once: another one would not help. */
const MOST_STARTS = 4

/** Whether the dashboard itself answers within `timeout_ms`, unless it ends again and again. */
export async function isHealthy(
  machine: Machine,
  { port }: Pick<Settings, 'port'>,
  timeout_ms: number,
): Promise<boolean> {
  for (const end = performance.now() + timeout_ms; performance.now() < end; ) {
    const show = ['systemctl', 'show', '--value', '--property=NRestarts', SERVICE]
    const { stdout } = await machine.attempt(show, { reads: true })
    if (Number(stdout) >= MOST_STARTS) return false
    const signal = AbortSignal.timeout(ANSWER_MS)
    // Not through a proxy that the environment names for what is outside.
    const proxy = ''
    const answer = await fetch(`http://127.0.0.1:${port}/health`, { signal, proxy }).catch(() => {})
    if (answer?.status === 200) return true
    await Bun.sleep(PAUSE_MS)
  }
  return false
}

/** What the service itself wrote last, on one line. */
export async function lastOutput(machine: Machine): Promise<string> {
  const argv = ['journalctl', '--unit', SERVICE, '--identifier', basename(process.execPath)]
  const end = ['--lines', '5', '--output', 'cat', '--no-pager']
  const { stdout } = await machine.attempt([...argv, ...end], { reads: true })
  return stdout.trim().split('\n').join(' | ') || `see journalctl --unit ${SERVICE}`
}

/** What answers at the public address on this very server; throws when it is not the dashboard. */
export async function checkPublic(
  machine: Machine,
  { domain, tls }: Settings,
  timeout_ms = 20_000,
): Promise<void> {
  if (machine.dry) return
  const ask = ['curl', '--silent', '--show-error', '--fail', '--noproxy', '*', '--max-time', '5']
  const here = ['--resolve', `${domain}:443:127.0.0.1`, `https://${domain}/health`]
  const end = performance.now() + timeout_ms
  for (;;) {
    const { status, words } = await machine.attempt([...ask, '--insecure', ...here], {
      reads: true,
    })
    if (status === 0) break
    if (performance.now() > end) throw new Error(`https://${domain} does not answer: ${words}`)
    await Bun.sleep(PAUSE_MS)
  }
  if (tls === 'self-signed') return
  const { status, words } = await machine.attempt([...ask, ...here], { reads: true })
  const [why] = words.split('\n')
  if (status !== 0) machine.say(`Note: this server does not trust the certificate: ${why}`)
}
