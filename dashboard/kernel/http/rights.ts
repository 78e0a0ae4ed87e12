import { forbidden } from '#shared/kernel/errors.ts'
import { TOKEN_SCOPES, type TokenScope } from '#shared/kernel/values.ts'
import type { Caller } from './caller.ts'

/** The right of a call: none, a token of at least that scope, or a session, which no token replaces. */
export type Right = 'open' | TokenScope | 'session'

/** Throws 403 for a token whose scope is too small. A session has every right of its user. */
export function requireRight({ scope }: Caller, right: Right): void {
  if (scope === undefined) return
  if (right === 'session')
    throw forbidden('API tokens cannot do this: log in with the password of the account')
  if (right === 'open' || TOKEN_SCOPES.indexOf(scope) >= TOKEN_SCOPES.indexOf(right)) return
  throw forbidden(`This needs an API token of the scope ${right}; this one has ${scope}`)
}
