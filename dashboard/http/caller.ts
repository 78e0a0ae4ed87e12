import type { User } from '#shared/api/auth.ts'
import { unauthorized } from '#shared/errors.ts'
import type { TokenScope } from '#shared/values.ts'

/** The caller. `jti` names the session, `""` for an API token, which has `token_id` and `scope`. */
export interface Caller {
  user: User
  jti: string
  token_id?: number
  scope?: TokenScope
}

const callers = new WeakMap<Request, Caller>()

export function admit(request: Request, caller: Caller): void {
  callers.set(request, caller)
}

/** The second guard: a request that bypassed the gate is 401 here. */
export function callerOf(request: Request): Caller {
  const caller = callers.get(request)
  if (!caller) throw unauthorized()
  return caller
}
