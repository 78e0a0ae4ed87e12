import type { Visited } from '#agent/kernel/host/visit-port.ts'
import { down, pageVerdict, type Verdict } from '#shared/health/page-verdict.ts'

type Failed = Extract<Visited, { failed: string }>['failed']

const FAILED: Record<Failed, Verdict> = {
  refused: down('http_refused', 'nginx does not answer on this server'),
  timeout: down('http_timeout', 'Its front page did not answer within 10 seconds'),
  tls: down('http_tls', 'The TLS connection to the site fails'),
  broken: down('http_broken', 'The connection ended before the front page was complete'),
}

/** The uncached front page of a visitor, requested on its own server. */
export const checkPage = (visited: Visited, url: string): Verdict =>
  'failed' in visited ? FAILED[visited.failed] : pageVerdict(visited, url)
