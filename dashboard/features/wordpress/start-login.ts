import { createHash } from 'node:crypto'
import { awaitOutcome } from '#dashboard/kernel/engine/enqueue.ts'
import { type StartDeps, startOperation } from '#dashboard/kernel/engine/start-operation.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import type { SiteTarget } from '#dashboard/kernel/targets/load-site.ts'
import type { StartedLogin } from '#shared/wordpress/api/wp-login.ts'
import { wpLoginType } from '#shared/wordpress/wp.login.ts'
import { LOGIN_SECONDS } from '#shared/wordpress/wp-login.ts'

/** The token has 256 bits. */
const TOKEN_BYTES = 32

/** Starts a login. Only the caller gets the token: records and server have its hash. */
export async function startLogin(
  deps: StartDeps,
  target: SiteTarget,
  user_id: number | null,
): Promise<StartedLogin> {
  const token = Buffer.from(deps.random(TOKEN_BYTES)).toString('base64url')
  const token_hash = createHash('sha256').update(token).digest('hex')
  const expires_at = timestamp(deps.clock, LOGIN_SECONDS * 1000)
  const job = await startOperation(deps, 'wp.login', target, { user_id, token_hash })
  const { url, user } = wpLoginType.outcome.result.parse(await awaitOutcome(deps, job))
  return { url, token, user, expires_at }
}
