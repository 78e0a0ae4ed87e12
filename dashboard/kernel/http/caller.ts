import type { User } from '#shared/kernel/api/auth.ts'
import { unauthorized } from '#shared/kernel/errors.ts'
import type { HeldGrants, Part } from '#shared/kernel/rights.ts'
import type { TokenScope } from '#shared/kernel/values.ts'

/** The caller. `jti` names the session, `""` for an API token, which has `token_id`, `token_name` and `scope`. */
export interface Caller extends HeldGrants {
  user: User
  jti: string
  /** When the owner of the session last gave the password. */
  confirmed_at?: string | null
  token_id?: number
  token_name?: string
  scope?: TokenScope
  /** What the token is limited to; its grants have only what these parts and the account share. */
  only_for?: readonly Part[] | null
}

/** The caller of a request, until `until` (Unix ms) or the next change of the records. */
export interface Admission {
  caller: Caller
  until: number
}

const admissions = new WeakMap<Request, Admission>()

export function admit(request: Request, admission: Admission): void {
  admissions.set(request, admission)
}

/** Returns the admission of a request; undefined for a public route. */
export function admissionOf(request: Request): Admission | undefined {
  return admissions.get(request)
}

/** Returns the caller. This is the second guard: a request that bypassed the gate is 401 here. */
export function callerOf(request: Request): Caller {
  const admission = admissions.get(request)
  if (!admission) throw unauthorized()
  return admission.caller
}
