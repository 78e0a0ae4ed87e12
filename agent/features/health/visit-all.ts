import type { Host } from '#agent/kernel/host/ports.ts'
import type { VisitRequest, VisitResult } from '#agent/kernel/host/visit-port.ts'
import type { HealthVerdict } from '#shared/health/page-verdict.ts'

interface VisitTimes {
  visited_at: number
  visit_ms: number
}

export async function visitAll<W extends VisitTimes>(
  host: Host,
  visits: readonly { watched: W; visit: VisitRequest }[],
  check: (visited: VisitResult, url: string) => HealthVerdict,
): Promise<{ watched: W; verdict: HealthVerdict }[]> {
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
