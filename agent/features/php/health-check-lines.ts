import type { Host } from '#agent/kernel/host/ports.ts'
import { VISIT_AGENT } from '#agent/kernel/host/visit-port.ts'
import { OUTSIDE_AGENT } from '#shared/health/visits.ts'

const AGENTS = new Set([VISIT_AGENT, OUTSIDE_AGENT])
/** The maximum that health checks of a minute write. */
const MAX_BYTES = 16 << 10
/** The index of the user agent in a line of `log_format hosting`, split at its quotes. */
const AGENT_INDEX = 5

/**
 * Returns whether only health checks of this server and of dashboards wrote what is between two
 * sizes of an access log. They keep no PHP awake. Whoever else sends their names only wakes the PHP
 * of the site, as each request does.
 */
export async function isOnlyVisits(
  { files }: Pick<Host, 'files'>,
  path: string,
  { from, to }: { from: number; to: number },
): Promise<boolean> {
  if (to <= from || to - from > MAX_BYTES) return false
  const bytes = await files.part(path, from, to - from)
  const lines = new TextDecoder('latin1').decode(bytes).trimEnd().split('\n')
  return lines.every((line) => AGENTS.has(line.split('"')[AGENT_INDEX] ?? ''))
}
