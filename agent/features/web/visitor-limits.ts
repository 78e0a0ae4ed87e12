/** The maximum number of concurrent connections with a complete request of one address. */
const MAX_REQUESTS = 1000

/** The zone of the limits in the http block, which holds about 160,000 addresses. */
export const VISITOR_ZONE = 'limit_conn_zone $binary_remote_addr zone=hosting_visitors:10m;'

/**
 * Directives of each server of this agent, so that foreign servers keep their own. A visitor has 10
 * seconds for a handshake and the head of a request, and 30 seconds without progress for a body or
 * an answer: otherwise some hundred unfinished requests occupy all connections of nginx. nginx
 * counts only requests whose head is complete; the rate of connections limits the others
 * (connection-rate.ts).
 */
export const VISITOR_LIMITS = [
  'client_header_timeout 10s;',
  'client_body_timeout 30s;',
  'send_timeout 30s;',
  'reset_timedout_connection on;',
  `limit_conn hosting_visitors ${MAX_REQUESTS};`,
  'limit_conn_status 429;',
]
  .map((line) => `    ${line}\n`)
  .join('')
