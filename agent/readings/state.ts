import { createHash } from 'node:crypto'
import type { Ask } from '#agent/calls/reading.ts'
import type { Clock } from '#agent/host/ports.ts'
import type { SiteMail, State } from '#shared/agent.ts'
import { REPORTED } from '#shared/report.ts'

/** A dashboard waits some seconds for an answer with the version. */
const MAX_MS = 2_000

/**
 * The metrics, and a version of everything else that a sync reads: equal versions mean equal answers.
 * Null if a part cannot be read, or if all of them take too long. Simultaneous calls share one reading.
 */
export function stateReader({
  clock,
}: {
  clock: Pick<Clock, 'elapsed'>
}): (ask: Ask) => Promise<State> {
  let running: Promise<string | null> | undefined
  const version = (ask: Ask) => {
    running ??= versionOf(ask, clock)
      .catch(() => null)
      .finally(() => {
        running = undefined
      })
    return running
  }
  return async (ask) => ({
    metrics: await ask('GET /metrics', {}),
    version: await version(ask),
  })
}

async function versionOf(ask: Ask, clock: Pick<Clock, 'elapsed'>): Promise<string | null> {
  const end = clock.elapsed() + MAX_MS
  const hash = createHash('sha256')
  for (const path of REPORTED) {
    const answer = path === '/mail' ? await mailTroubles(ask) : await ask(`GET ${path}`, {})
    hash.update(`${JSON.stringify(answer)}\n`)
    if (clock.elapsed() > end) return null
  }
  return hash.digest('base64url')
}

/** Counts of sent mail change all the time, and no sync stores them. */
const mailTroubles = async (ask: Ask) => (await ask('GET /mail', {})).sites.filter(hasTrouble)

const hasTrouble = ({ queued, failures }: SiteMail) => queued + failures.length > 0
