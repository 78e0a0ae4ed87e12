import type { Clock } from '#dashboard/kernel/runtime/clock.ts'
import { isDue } from '#shared/kernel/age.ts'
import { conflict, forbidden } from '#shared/kernel/errors.ts'
import {
  lowestRole,
  RIGHTS,
  type Right,
  rightsOf,
  rightsWithin,
  scopeFor,
} from '#shared/kernel/rights.ts'
import type { Caller } from './caller.ts'

/** Whether a caller has a right: its account must have it, and the scope of its token include it. */
const may = ({ grants, scope }: Pick<Caller, 'grants' | 'scope'>, right: Right): boolean =>
  rightsOf(grants).includes(right) && (scope === undefined || rightsWithin(scope).includes(right))

/** Returns every right of a caller. */
export const rightsOfCaller = (caller: Pick<Caller, 'grants' | 'scope'>): Right[] =>
  RIGHTS.filter((right) => may(caller, right))

/** Throws 403 for a caller without the right. */
export function requireRight(caller: Caller, right: Right): void {
  if (may(caller, right)) return
  const needed = rightsOf(caller.grants).includes(right)
    ? `This needs an API token of the scope ${scopeFor(right)}; this one has ${caller.scope}`
    : `This needs the role ${lowestRole(right)}${right === 'secrets' ? ', or the grant secrets' : ''}: ask an owner of this dashboard`
  throw forbidden(needed)
}

/** Throws 403 for an API token, which cannot do everything that its account may do. */
export function requireSession({ scope }: Caller): void {
  if (scope !== undefined)
    throw forbidden('API tokens cannot do this: log in with the password of the account')
}

/** The time for which a confirmed password counts. */
const CONFIRMED_MS = 10 * 60_000

/**
 * Requires a recent confirmation, for calls that a stolen session must not make, and that a user
 * makes many times a day. An API token needs none. Throws 409 with `confirmation_needed`.
 */
export function requireConfirmed(clock: Clock, { confirmed_at, scope }: Caller): void {
  if (scope !== undefined) return
  if (confirmed_at && !isDue(confirmed_at, CONFIRMED_MS, clock.now())) return
  throw conflict('Confirm your password first', 'confirmation_needed')
}
