import { createHash } from 'node:crypto'
import type { Asked } from '#agent/calls/reading.ts'
import type { Pulse } from '#shared/pulse.ts'

/** Health is checked every few seconds (rounds.ts): a change is reported so much later at most. */
const LOOK_MS = 2_000

type Pulsed = Pick<Asked<'GET /pulse'>, 'params' | 'signal' | 'health' | 'numbers' | 'ask'> & {
  host: { clock: Pick<Asked<'GET /pulse'>['host']['clock'], 'elapsed' | 'sleep'> }
}

/**
 * Answers when the health of a site differs from the version in the request, or else after the time of
 * the request: so one call a minute reports everything that a dashboard has to read again.
 */
export async function pulseOf(asked: Pulsed): Promise<Pulse> {
  const { params, signal, ask, numbers } = asked
  const { clock } = asked.host
  const end = clock.elapsed() + params.wait * 1000
  let health = versionOf(asked)
  for (;;) {
    const left = end - clock.elapsed()
    if (health !== params.health || left <= 0 || signal.aborted) break
    await clock.sleep(Math.min(left, LOOK_MS))
    health = versionOf(asked)
  }
  const state =
    params.state === 'yes'
      ? await ask('GET /state', {})
      : { metrics: await ask('GET /metrics', {}), version: null }
  return { ...state, health, counted: numbers.changed }
}

const versionOf = ({ health }: Pick<Pulsed, 'health'>): string =>
  createHash('sha256').update(JSON.stringify(health())).digest('base64url')
