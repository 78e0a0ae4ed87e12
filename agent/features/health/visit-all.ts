import type { Host } from '#agent/kernel/host/ports.ts'
import type { Visit, Visited } from '#agent/kernel/host/visit-port.ts'
import type { Verdict } from '#shared/health/page-verdict.ts'

/** The time and duration of a site's last visit. */
interface Timed {
  visited_at: number
  visit_ms: number
}

/** Requests these pages, and records the time. */
export async function visitAll<W extends Timed>(
  host: Host,
  visits: readonly { watched: W; visit: Visit }[],
  check: (visited: Visited, url: string) => Verdict,
): Promise<{ watched: W; verdict: Verdict }[]> {
  if (visits.length === 0) return []
  const outcomes = await host.visitor.visit(visits.map(({ visit }) => visit))
  return visits.flatMap(({ watched, visit }, place) => {
    const outcome = outcomes[place]
    if (!outcome) return []
    watched.visited_at = host.clock.elapsed()
    watched.visit_ms = outcome.ms
    const url = `${visit.tls ? 'https' : 'http'}://${visit.host}${visit.path}`
    return [{ watched, verdict: check(outcome, url) }]
  })
}
