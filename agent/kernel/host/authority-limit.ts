import type { AcmeLimit } from './acme-port.ts'

type Axios = typeof import('acme-client').axios
type Transform = NonNullable<Extract<Axios['defaults']['transformResponse'], unknown[]>>[number]

/** A wait that an order has time for. */
const SHORT_S = 10
const DAY_S = 86_400
const MAX_REASON = 300

/** The authority accepts no request for longer than an order waits. */
export class AuthorityLimit extends Error {
  readonly limit: AcmeLimit

  constructor(limit: AcmeLimit) {
    super(limit.reason)
    this.limit = limit
  }
}

/**
 * Ends an order at a limit of the authority: the library would wait within the order for as long as
 * the authority says, which is hours. An error of the transformation of an answer is passed on.
 */
export function refuseLimits(axios: Axios): void {
  const { transformResponse = [] } = axios.defaults
  const former = Array.isArray(transformResponse) ? transformResponse : [transformResponse]
  if (former.includes(refuseLimit)) return
  axios.defaults.transformResponse = [...former, refuseLimit]
}

/** After the former transformations: `data` is parsed if it is JSON. */
const refuseLimit: Transform = (data: unknown, headers, status) => {
  if (status !== 429 && status !== 503) return data
  const retry_after_s = secondsIn(String(headers?.['retry-after'] ?? ''))
  if (status === 503 && retry_after_s <= SHORT_S) return data
  if (retry_after_s > 0 && retry_after_s <= SHORT_S) return data
  throw new AuthorityLimit({ reason: reasonIn(data, status), retry_after_s })
}

/** A number or a date (RFC 9110 section 10.2.3); a day at most, 0 without one. */
function secondsIn(header: string): number {
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isNaN(seconds) ? 0 : Math.min(Math.max(Math.ceil(seconds), 0), DAY_S)
}

function reasonIn(data: unknown, status: number): string {
  const detail = data && typeof data === 'object' && 'detail' in data ? String(data.detail) : ''
  const said = detail.replace(/\s+/g, ' ').trim().slice(0, MAX_REASON) || `status ${status}`
  return status === 429
    ? `the authority limits requests: ${said}`
    : `the authority accepts no requests at present: ${said}`
}
