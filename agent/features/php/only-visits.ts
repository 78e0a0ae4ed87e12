import type { Host } from '#agent/kernel/host/ports.ts'
import { VISIT_AGENT } from '#agent/kernel/host/visit-port.ts'
import { OUTSIDE_AGENT } from '#shared/health/visits.ts'

const AGENTS = new Set([VISIT_AGENT, OUTSIDE_AGENT])
/** Health checks of a minute write less. */
const MAX_BYTES = 16 << 10
/** The place of the user agent in a line of `log_format hosting`, split at its quotes. */
const AGENT_PLACE = 5

/**
 * Whether everything between two sizes of an access log was written by health checks: those of this
 * server, and those of dashboards. They keep no PHP awake. Whoever else sends their names only wakes the
 * PHP of the site, as each request does.
 */
export async function isOnlyVisits(
  { files }: Pick<Host, 'files'>,
  path: string,
  { from, to }: { from: number; to: number },
): Promise<boolean> {
  if (to <= from || to - from > MAX_BYTES) return false
  const bytes = await files.part(path, from, to - from)
  const lines = new TextDecoder('latin1').decode(bytes).trimEnd().split('\n')
  return lines.every((line) => AGENTS.has(line.split('"')[AGENT_PLACE] ?? ''))
}
