import { createHash } from 'node:crypto'
import type { Clock } from '#agent/host/ports.ts'
import type { Metrics, SiteMail, State } from '#shared/agent.ts'

/** The readings of a sync beside the metrics, in a fixed order. */
const NAMES = [
  'services',
  'sites',
  'web',
  'trash',
  'certificates',
  'usage',
  'maintenance',
  'jobTroubles',
  'access',
  'logins',
] as const

/** A dashboard waits some seconds for an answer with the version. */
const MAX_MS = 2_000

type Parts = Record<(typeof NAMES)[number], () => Promise<unknown>> & {
  clock: Pick<Clock, 'elapsed'>
  metrics(): Promise<Metrics>
  mail(): Promise<{ sites: readonly SiteMail[] }>
}

/**
 * The metrics, and a version of everything else that a sync reads: equal versions mean equal answers.
 * Null if a part cannot be read, or if all of them take too long. Simultaneous calls share one reading.
 */
export function stateReader(parts: Parts): () => Promise<State> {
  let running: Promise<string | null> | undefined
  const version = () => {
    running ??= versionOf(parts)
      .catch(() => null)
      .finally(() => {
        running = undefined
      })
    return running
  }
  return async () => ({ metrics: await parts.metrics(), version: await version() })
}

async function versionOf(parts: Parts): Promise<string | null> {
  const end = parts.clock.elapsed() + MAX_MS
  const hash = createHash('sha256')
  for (const name of NAMES) {
    hash.update(`${JSON.stringify(await parts[name]())}\n`)
    if (parts.clock.elapsed() > end) return null
  }
  const { sites } = await parts.mail()
  hash.update(JSON.stringify(sites.filter(hasTrouble)))
  return hash.digest('base64url')
}

/** Counts of sent mail change all the time, and no sync stores them. */
const hasTrouble = ({ queued, failures }: SiteMail) => queued + failures.length > 0
