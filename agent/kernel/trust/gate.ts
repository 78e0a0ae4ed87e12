import { createHash, type KeyObject, timingSafeEqual, verify } from 'node:crypto'
import type { z } from 'zod'
import { readBytes } from '#agent/kernel/http/body.ts'
import { pathOf } from '#agent/kernel/http/path.ts'
import { Unauthenticated } from '#agent/kernel/http/unauthenticated.ts'
import { OPERATION_HEADER } from '#shared/kernel/agent-headers.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import {
  CHALLENGE_HEADER,
  encodeChallenge,
  MAX_TOKEN,
  TOKEN_SCHEME,
  TOKEN_SECONDS,
  TokenClaims,
  TokenHeader,
} from '#shared/kernel/token.ts'
import { activeKeys, type TrustedDashboard } from './trusted-dashboard.ts'
import type { UsedTokens } from './used-tokens.ts'

/** Authenticates a request, and returns its body: the signed bytes are the used ones. Throws Refused. */
export type Gate = (request: Request) => Promise<Uint8Array>

/** A gate for tests and a machine that manages itself, on loopback only (config.ts). */
export const openGate: Gate = (request) => readBytes(request)

export interface SignedGateDeps {
  trust: TrustedDashboard
  /** The SHA-256 of this agent's public key in base64url. */
  audience: string
  /** A random value of the process: older tokens are refused without a record. */
  boot: string
  seen: UsedTokens
  /** Seconds since 1970. */
  now(): number
  /** Called with each request that the trusted dashboard has signed. */
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
    if ('refused' in verdict)
      throw new Unauthenticated(challengeFor(verdict.refused, deps.boot, now))
    const { claims } = verdict
    // The same work under another id would run a second time.
    if (claims.op !== (request.headers.get(OPERATION_HEADER) ?? undefined))
      throw new Unauthenticated()
    const body = await readBytes(request)
    if (!matchesBody(claims, body)) throw new Unauthenticated()
    await deps.admitted()
    return body
  }
}

/** Returns the correct nonce or the clock, only for the trusted dashboard. */
function challengeFor(refused: TokenRefusal, boot: string, now: number): Record<string, string> {
  const helps = refused === 'boot' || refused === 'clock'
  return helps ? { [CHALLENGE_HEADER]: encodeChallenge(boot, now) } : {}
}

export interface ExpectedToken {
  /** The SHA-256 of this agent's public key in base64url. */
  audience: string
  boot: string
  /** Seconds since 1970. */
  now: number
  method: string
  /** Path and query as sent. */
  path: string
  keyOf(kid: string): KeyObject | undefined
  seen: UsedTokens
}

/** The reason why a token was refused; for `boot` and `clock`, the trusted dashboard signed it. */
type TokenRefusal = 'unsigned' | 'boot' | 'clock' | 'other'
type TokenVerdict = { claims: TokenClaims } | { refused: TokenRefusal }

/**
 * Checks the headers of a request, the cheapest checks first; the key is never taken from the token.
 * The body is compared with `claims.bh` afterwards (matchesBody).
 */
export function checkToken(authorization: string | null, expected: ExpectedToken): TokenVerdict {
  const signed = signedClaims(authorization, expected)
  if (!signed) return { refused: 'unsigned' }
  if (signed.aud !== expected.audience) return { refused: 'other' }
  if (signed.boot !== expected.boot) return { refused: 'boot' }
  if (!isNow(signed, expected.now)) return { refused: 'clock' }
  if (signed.htm !== expected.method || signed.htu !== expected.path) return { refused: 'other' }
  const until = signed.exp + TOKEN_SECONDS
  return expected.seen.first(signed.jti, until, expected.now)
    ? { claims: signed }
    : { refused: 'other' }
}

export function matchesBody({ bh }: TokenClaims, body: Uint8Array): boolean {
  const actual = createHash('sha256').update(body).digest()
  const claimed = Buffer.from(bh, 'base64url')
  return claimed.length === actual.length && timingSafeEqual(claimed, actual)
}

function signedClaims(
  authorization: string | null,
  { keyOf }: ExpectedToken,
): TokenClaims | undefined {
  const token = tokenOf(authorization)
  const [head = '', payload = '', signature = '', ...rest] = token?.split('.') ?? []
  if (rest.length > 0 || signature === '') return undefined
  const header = parsePart(head, TokenHeader)
  const key = header && keyOf(header.kid)
  if (!key) return undefined
  const good = verify(
    null,
    Buffer.from(`${head}.${payload}`),
    key,
    Buffer.from(signature, 'base64url'),
  )
  return good ? parsePart(payload, TokenClaims) : undefined
}

function tokenOf(authorization: string | null): string | undefined {
  if (!authorization || authorization.length > MAX_TOKEN) return undefined
  const [scheme, token, ...rest] = authorization.split(' ')
  if (scheme !== TOKEN_SCHEME || rest.length > 0) return undefined
  return /^[A-Za-z0-9_.-]+$/.test(token ?? '') ? token : undefined
}

function isNow({ iat, exp }: TokenClaims, now: number): boolean {
  const lifetime = exp - iat
  if (lifetime < 0 || lifetime > TOKEN_SECONDS) return false
  return iat <= now + TOKEN_SECONDS && exp >= now - TOKEN_SECONDS
}

function parsePart<S extends z.ZodType>(part: string, schema: S): z.output<S> | undefined {
  const text = Buffer.from(part, 'base64url').toString('utf8')
  return parseJson(schema, text)
}
