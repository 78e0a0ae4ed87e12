import type { NameState } from '#shared/domains/name-states.ts'
import {
  down,
  type HealthVerdict,
  type PageAnswer,
  pageVerdict,
  UP,
  unknown,
  up,
} from '#shared/health/page-verdict.ts'

export type VisitFailure = 'refused' | 'unreachable' | 'timeout' | 'tls' | 'broken'

/** The result of the requests at one address; `url` is the last one. */
export type VisitResult = { port: number } & (
  | { answer: PageAnswer; url: string }
  | { failed: VisitFailure }
)

interface VisitFindings extends Pick<NameState, 'dns' | 'cdn'> {
  /** The result at an address of the content delivery network that the name leads to. */
  through?: VisitResult | undefined
  straight?: VisitResult | undefined
}

const FAILURE_VERDICTS: Record<VisitFailure, (port: number) => HealthVerdict> = {
  refused: (port) => down('visit_refused', `Its server refuses visitors on port ${port}`),
  unreachable: (port) =>
    down('visit_unreachable', `Its server does not answer visitors on port ${port}`),
  timeout: () => down('visit_timeout', 'Its front page did not answer a visitor within 10 seconds'),
  tls: () => down('visit_tls', 'The TLS connection of a visitor to the site fails'),
  broken: () =>
    down('visit_broken', 'The connection of a visitor ended before the front page was complete'),
}

/** The codes of connections that failed, which may also be the fault of the way to the server. */
export const CONNECTION_CODES = ['visit_refused', 'visit_unreachable', 'visit_timeout']

/**
 * Returns the verdict on a site. A failure counts only where it is certain that it is that of the
 * site: a network in between may refuse robots, and a server whose names lead elsewhere may have
 * its visitors from another address.
 */
export function verdictOf({ dns, cdn, through, straight }: VisitFindings): HealthVerdict {
  if (through) return verdictThroughCdn(through, straight, cdn)
  if (!straight) return unknown('visit_none', 'It was not requested')
  const own = verdictOfResult(straight)
  const way = DNS_REASONS[dns]
  if (way === undefined) return own
  if (own.state === 'up') return up('visit_elsewhere', `${way}: the server itself was requested`)
  if (isPage(straight)) return own
  return unknown('visit_elsewhere', `${way}, and this dashboard cannot connect to it`)
}

function verdictThroughCdn(
  through: VisitResult,
  straight: VisitResult | undefined,
  cdn: string | null,
): HealthVerdict {
  const seen = verdictOfResult(through)
  if (seen.state === 'up' || !straight) return seen
  const own = verdictOfResult(straight)
  if (own.state === 'down' && isPage(straight)) return own
  const words = isPage(through) ? `answers ${through.answer.status}` : 'does not answer'
  return unknown('visit_cdn', `Its name leads to ${cdn}, which ${words} to this dashboard`)
}

/** Why a visitor does not connect to the requested address, by the state of the DNS. */
const DNS_REASONS: Record<NameState['dns'], string | undefined> = {
  here: undefined,
  both: undefined,
  none: 'Its name does not lead to its server yet',
  elsewhere: 'Its name does not lead to its server',
  cdn: 'Its name leads to a content delivery network',
  unknown: 'The public address of its server is not known',
}

const isPage = (
  seen: VisitResult | undefined,
): seen is Extract<VisitResult, { answer: PageAnswer }> => seen !== undefined && 'answer' in seen

function verdictOfResult(seen: VisitResult): HealthVerdict {
  if (!isPage(seen)) return FAILURE_VERDICTS[seen.failed](seen.port)
  const verdict = pageVerdict(seen.answer, seen.url)
  return verdict.code === 'http_cached' ? UP : verdict
}
