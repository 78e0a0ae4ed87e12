import { perHost, reading } from '#agent/kernel/calls/reading.ts'
import type { Host, Resolved } from '#agent/kernel/host/ports.ts'
import { getSite } from '#agent/kernel/site/sites.ts'
import type { AgentNameStates } from '#shared/domains/name-states.ts'
import { nameStatesReading } from '#shared/sites/readings.ts'
import { nameStates, type Resolve } from './name-states.ts'
import { readPhase } from './phases.ts'

const KEPT_MS = 10_000

/** `nameStates`; pages read them every two seconds while a request for a certificate is running. */
export function namesReader(host: Host): (domain: string) => Promise<AgentNameStates> {
  const kept = keptFor(host, (names) => host.net.resolve(names))
  return async (domain) => {
    const site = await getSite(host, domain)
    const isRunning = (await readPhase(host, domain)) !== undefined
    return nameStates(host, site, isRunning ? kept : undefined)
  }
}

/** Uses the records of the same names again for ten seconds. */
function keptFor({ clock }: Host, resolve: Resolve): Resolve {
  const kept = new Map<string, { found: Promise<Resolved[]>; until: number }>()
  return (names) => {
    for (const [key, { until }] of kept) if (clock.elapsed() >= until) kept.delete(key)
    const key = names.join(' ')
    const known = kept.get(key)
    if (known) return known.found
    const found = resolve(names)
    kept.set(key, { found, until: clock.elapsed() + KEPT_MS })
    found.catch(() => kept.delete(key))
    return found
  }
}

const namesOf = perHost(namesReader)
export const siteNames = reading(nameStatesReading, ({ host, params }) =>
  namesOf(host)(params.domain),
)
