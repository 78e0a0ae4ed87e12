import type { Clock } from '#dashboard/kernel/runtime/clock.ts'
import { isDue } from '#shared/kernel/age.ts'
import { conflict, forbidden } from '#shared/kernel/errors.ts'
import {
  grantFor,
  lowestRole,
  type Place,
  partsWith,
  RIGHTS,
  type Right,
  rightsAt,
  rightsOf,
  rightsWithin,
  scopeFor,
} from '#shared/kernel/rights.ts'
import type { Caller } from './caller.ts'

export type Holder = Pick<Caller, 'grants' | 'parts' | 'scope'>

const isWithin = ({ scope }: Pick<Caller, 'scope'>, right: Right): boolean =>
  scope === undefined || rightsWithin(scope).includes(right)

/** Returns the rights of an account at a place; without one, in the whole fleet. */
const rightsIn = (holder: Pick<Holder, 'grants' | 'parts'>, place: Place | undefined) =>
  place ? rightsAt(holder, place) : rightsOf(holder.grants)

/**
 * Whether a caller has a right at a place; without one, in the whole fleet. Its account must have it,
 * and the scope of its token include it.
 */
export const may = (caller: Holder, right: Right, place?: Place): boolean =>
  isWithin(caller, right) && rightsIn(caller, place).includes(right)

/** Whether a caller has a right anywhere: in the whole fleet, or on a part of it. */
const mayAnywhere = (caller: Holder, right: Right): boolean =>
  may(caller, right) || (isWithin(caller, right) && partsWith(caller, right).length > 0)

/** Returns every right of a caller at a place; without one, in the whole fleet. */
export const rightsOfCaller = (caller: Holder, place?: Place): Right[] =>
  RIGHTS.filter((right) => may(caller, right, place))

/** Returns the rights of a caller that each of its grants on a part of the fleet gives there. */
export const rightsOnParts = (caller: Holder) =>
  caller.parts.map(({ gives, ...part }) => ({
    ...part,
    rights: rightsOf([gives]).filter((right) => isWithin(caller, right)),
  }))

/** Throws 403 for a caller without the right at a place; without one, in the whole fleet. */
export function requireRight(caller: Caller, right: Right, place?: Place): void {
  if (!may(caller, right, place)) throw refusal(caller, right, rightsIn(caller, place))
}

/** Throws 403 for a caller who has the right nowhere. */
export function requireRightAnywhere(caller: Caller, right: Right): void {
  if (mayAnywhere(caller, right)) return
  throw refusal(
    caller,
    right,
    partsWith(caller, right).length > 0 ? [right] : rightsOf(caller.grants),
  )
}

function refusal(caller: Caller, right: Right, held: readonly Right[]) {
  if (held.includes(right))
    return forbidden(
      `This needs an API token of the scope ${scopeFor(right)}; this one has ${caller.scope}`,
    )
  const grant = grantFor(right)
  const other = grant ? `, or the grant ${grant}` : ''
  const here = partsWith(caller, right).length > 0 ? ' here' : ''
  return forbidden(
    `This needs the role ${lowestRole(right)}${other}${here}: ask an owner of this dashboard`,
  )
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
