import type { VisitResult } from '#agent/kernel/host/visit-port.ts'
import { down, type HealthVerdict, pageVerdict } from '#shared/health/page-verdict.ts'

type VisitFailure = Extract<VisitResult, { failed: string }>['failed']

const FAILED: Record<VisitFailure, HealthVerdict> = {
  refused: down('http_refused', 'nginx does not answer on this server'),
  timeout: down('http_timeout', 'Its front page did not answer within 10 seconds'),
  tls: down('http_tls', 'The TLS connection to the site fails'),
  broken: down('http_broken', 'The connection ended before the front page was complete'),
}

/** Checks the uncached front page, requested on its own server. */
export const checkPage = (visited: VisitResult, url: string): HealthVerdict =>
  'failed' in visited ? FAILED[visited.failed] : pageVerdict(visited, url)
