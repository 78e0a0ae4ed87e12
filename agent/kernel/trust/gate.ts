import { readBytes } from '#agent/kernel/http/body.ts'
import { pathOf } from '#agent/kernel/http/path.ts'
import { Refused } from '#agent/kernel/http/refused.ts'
import { OPERATION_HEADER } from '#shared/kernel/agent-headers.ts'
import { CHALLENGE_HEADER, encodeChallenge } from '#shared/kernel/token.ts'
import type { SeenTokens } from './seen.ts'
import { checkToken, matchesBody, type Refusal } from './token.ts'
import { activeKeys, type TrustedDashboard } from './trusted-dashboard.ts'

/** Authenticates a request, and returns its body: the signed bytes are the used ones. Throws Refused. */
export type Gate = (request: Request) => Promise<Uint8Array>

/** For tests and a machine that manages itself, on loopback only (config.ts refuses anything else). */
export const openGate: Gate = (request) => readBytes(request)

export interface SignedGateDeps {
  trust: TrustedDashboard
  /** SHA-256 of this agent's public key, base64url. */
  audience: string
  /** Random for each process: tokens from before a restart are refused without remembering them. */
  boot: string
  seen: SeenTokens
  /** Seconds since 1970. */
  now(): number
  /** Called with the first and every later request that was signed by the trusted dashboard. */
  admitted(): Promise<void>
}

/** Accepts requests that the trusted dashboard signed for this agent, this process and this request. */
export function signedGate(deps: SignedGateDeps): Gate {
  return async (request) => {
    const now = deps.now()
    const keys = activeKeys(await deps.trust.read(), now)
    const verdict = checkToken(request.headers.get('authorization'), {
      audience: deps.audience,
      boot: deps.boot,
      now,
      method: request.method,
      path: pathOf(request.url),
      keyOf: (kid) => keys.get(kid),
      seen: deps.seen,
    })
    if ('refused' in verdict) throw new Refused(challengeFor(verdict.refused, deps.boot, now))
    const { claims } = verdict
    // The same work under another id would run a second time.
    if (claims.op !== (request.headers.get(OPERATION_HEADER) ?? undefined)) throw new Refused()
    const body = await readBytes(request)
    if (!matchesBody(claims, body)) throw new Refused()
    await deps.admitted()
    return body
  }
}

/**
 * Returned only to the trusted dashboard, so that it can repeat the request with the correct nonce
 * or report its clock.
 */
function challengeFor(refused: Refusal, boot: string, now: number): Record<string, string> {
  const helps = refused === 'boot' || refused === 'clock'
  return helps ? { [CHALLENGE_HEADER]: encodeChallenge(boot, now) } : {}
}
