import { createHash } from 'node:crypto'
import type { Clock } from '#agent/host/ports.ts'
import type { Metrics, SiteHealth, State } from '#shared/agent.ts'
import type { PulseRequest } from '#shared/agent-requests.ts'
import type { Pulse } from '#shared/pulse.ts'

/** Health is checked every few seconds (rounds.ts): a change is reported so much later at most. */
const LOOK_MS = 2_000

interface Parts {
  clock: Pick<Clock, 'elapsed' | 'sleep'>
  metrics(): Promise<Metrics>
  state(): Promise<State>
  health(): Promise<SiteHealth[]>
  /** When the numbers of a site last changed. */
  counted(): number
}

/**
 * Answers when the health of a site differs from the version in the request, or else after the time of
 * the request: so one call a minute reports everything that a dashboard has to read again.
 */
export function pulseReader(parts: Parts) {
  const { clock } = parts
  return async (request: PulseRequest, signal: AbortSignal): Promise<Pulse> => {
    const end = clock.elapsed() + request.wait * 1000
    let health = await versionOf(parts)
    for (;;) {
      const left = end - clock.elapsed()
      if (health !== request.health || left <= 0 || signal.aborted) break
      await clock.sleep(Math.min(left, LOOK_MS))
      health = await versionOf(parts)
    }
    const state = request.state === 'yes' ? await parts.state() : await metricsOf(parts)
    return { ...state, health, counted: parts.counted() }
  }
}

const metricsOf = async (parts: Parts): Promise<State> => ({
  ...{ metrics: await parts.metrics(), version: null },
})

const versionOf = async (parts: Parts): Promise<string> =>
  createHash('sha256')
    .update(JSON.stringify(await parts.health()))
    .digest('base64url')
