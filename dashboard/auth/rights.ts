import { forbidden } from '#shared/errors.ts'

import { OPERATION_TYPES } from '#shared/operation-types/index.ts'
import { TOKEN_SCOPES, type TokenScope } from '#shared/values.ts'
import type { Caller } from './caller.ts'

/** What a call needs: nothing, a token of at least that scope, or a session, which no token replaces. */
export type Right = 'open' | TokenScope | 'session'

/**
 * The right that each route needs. A route that is missing here has no description that compiles, and
 * is closed to every token.
 */
export const RIGHTS = {
  'GET /health': 'open',
  'GET /agent/:file': 'open',
  'POST /api/auth/login': 'open',

  'GET /api/auth/me': 'read',
  'POST /api/auth/logout': 'session',
  'POST /api/auth/logout-everywhere': 'session',
  'POST /api/auth/password': 'session',
  'GET /api/auth/tokens': 'read',
  'POST /api/auth/tokens': 'session',
  'DELETE /api/auth/tokens/:token_id': 'admin',

  'GET /api/servers': 'read',
  'POST /api/servers': 'admin',
  'GET /api/servers/:server_id': 'read',
  'PATCH /api/servers/:server_id': 'admin',
  'DELETE /api/servers/:server_id': 'admin',
  'GET /api/servers/:server_id/metrics': 'read',
  'POST /api/servers/:server_id/sync': OPERATION_TYPES['server.sync'].right,
  'POST /api/servers/:server_id/provision': OPERATION_TYPES['server.provision'].right,
  'POST /api/servers/:server_id/upgrade': OPERATION_TYPES['agent.upgrade'].right,
  'GET /api/servers/:server_id/maintenance': 'read',
  'POST /api/servers/:server_id/update': OPERATION_TYPES['server.update'].right,
  'GET /api/servers/:server_id/conditions': 'read',
  'GET /api/servers/:server_id/web': 'read',
  'GET /api/servers/:server_id/isolation-check': 'read',
  'POST /api/servers/:server_id/isolation-check': OPERATION_TYPES['isolation.check'].right,
  'POST /api/servers/:server_id/services/restart': OPERATION_TYPES['service.restart'].right,
  'GET /api/servers/:server_id/mail': 'read',
  'PUT /api/servers/:server_id/mail': OPERATION_TYPES['mail.apply'].right,
  'POST /api/servers/:server_id/mail/test': OPERATION_TYPES['mail.check'].right,
  'POST /api/servers/:server_id/enrolment': 'admin',
  'GET /api/servers/:server_id/enrolment': 'read',
  'DELETE /api/servers/:server_id/enrolment': 'admin',

  'GET /api/servers/:server_id/sites': 'read',
  'POST /api/servers/:server_id/sites': OPERATION_TYPES['site.create'].right,
  'GET /api/servers/:server_id/sites/:site_id': 'read',
  'PATCH /api/servers/:server_id/sites/:site_id': OPERATION_TYPES['site.update'].right,
  'DELETE /api/servers/:server_id/sites/:site_id': OPERATION_TYPES['site.delete'].right,
  'POST /api/servers/:server_id/wp-scan': OPERATION_TYPES['site.scan'].right,
  'POST /api/servers/:server_id/pool-apply': OPERATION_TYPES['pool.apply'].right,
  'GET /api/servers/:server_id/sites/:site_id/job-runs': 'read',
  'POST /api/servers/:server_id/sites/:site_id/tls': OPERATION_TYPES['tls.issue'].right,
  'POST /api/servers/:server_id/sites/:site_id/cache-purge': OPERATION_TYPES['cache.purge'].right,
  'POST /api/servers/:server_id/sites/:site_id/db-password': 'admin',
  'POST /api/servers/:server_id/sites/:site_id/admin-password': 'admin',
  'GET /api/servers/:server_id/sites/:site_id/mail': 'read',
  'PUT /api/servers/:server_id/sites/:site_id/mail': OPERATION_TYPES['mail.apply'].right,
  'POST /api/servers/:server_id/sites/:site_id/mail/test': OPERATION_TYPES['mail.check'].right,
  'PUT /api/servers/:server_id/sites/:site_id/ignored': 'operate',
  'GET /api/trash': 'read',
  'POST /api/servers/:server_id/sites/:site_id/restore': OPERATION_TYPES['site.restore'].right,
  'POST /api/servers/:server_id/sites/:site_id/purge': OPERATION_TYPES['site.purge'].right,

  'GET /api/operations': 'read',
  'GET /api/operations/:operation_id': 'read',
  'GET /api/operations/:operation_id/events': 'read',
  'POST /api/operations/:operation_id/cancel': 'operate',
  'POST /api/operations/:operation_id/retry': 'operate',
  'GET /api/bulk-operations': 'read',
  'POST /api/bulk-operations': 'operate',
  'GET /api/bulk-operations/:bulk_id': 'read',
  'GET /api/bulk-operations/:bulk_id/items': 'read',
  'GET /api/bulk-operations/:bulk_id/events': 'read',
  'POST /api/bulk-operations/:bulk_id/cancel': 'operate',
  'POST /api/bulk-operations/:bulk_id/resume': 'operate',
  'POST /api/bulk-operations/:bulk_id/retry': 'operate',

  'GET /api/fleet': 'read',
  'GET /api/fleet/events': 'read',
  'GET /api/fleet/servers/:server_id': 'read',
  'GET /api/fleet/activity': 'read',
  'GET /api/fleet/settings': 'read',
  'GET /api/fleet/sites': 'read',
  'GET /api/fleet/sites/ids': 'read',
  'GET /api/fleet/sites/:site_id': 'read',
  'GET /api/activity': 'read',
  'GET /api/settings': 'read',
  'PUT /api/settings/:key': 'admin',
  'GET /api/keys': 'read',
  'POST /api/keys/rotate': 'session',
  'GET /api/openapi.json': 'read',
} as const satisfies Readonly<Record<string, Right>>

export type ApiRoute = keyof typeof RIGHTS

/** `route` as it is declared, with the names of its parameters. */
function rightOf(method: string, route: string): Right {
  const key = `${method === 'HEAD' ? 'GET' : method} ${route}`
  return isRoute(key) ? RIGHTS[key] : 'session'
}

const isRoute = (key: string): key is ApiRoute => Object.hasOwn(RIGHTS, key)

/** Throws 403 for a token whose scope is too small. A session has every right of its user. */
export function checkRight(caller: Caller, method: string, route: string): void {
  requireRight(caller, rightOf(method, route))
}

/** The same for a call that repeats another one, whose right it needs. */
export function requireRight({ scope }: Caller, right: Right): void {
  if (scope === undefined) return
  if (right === 'session')
    throw forbidden('API tokens cannot do this: log in with the password of the account')
  if (right === 'open' || TOKEN_SCOPES.indexOf(scope) >= TOKEN_SCOPES.indexOf(right)) return
  throw forbidden(`This needs an API token of the scope ${right}; this one has ${scope}`)
}
