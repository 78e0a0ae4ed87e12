import { z } from 'zod'

/**
 * The scheme of the signature in the Authorization header of every request to an agent: a compact
 * JWS (RFC 7515) with Ed25519 (RFC 8037), which names caller, agent, request and time, and is valid
 * once.
 */
export const TOKEN_SCHEME = 'Hosting'
export const TOKEN_TYPE = 'hosting-request+jwt'
/** The validity of a token and the tolerated difference of two clocks, in seconds. */
export const TOKEN_SECONDS = 30
/** The maximum length of a token; longer ones are refused unread. */
export const MAX_TOKEN = 4096

const digest = z.string().regex(/^[A-Za-z0-9_-]{43}$/)
const nonce = z.string().regex(/^[A-Za-z0-9_-]{22}$/)
const name = z.string().max(64)
const seconds = z.number().int().nonnegative()

export const TokenHeader = z.strictObject({
  alg: z.literal('EdDSA'),
  kid: name,
  typ: z.literal(TOKEN_TYPE),
})

/**
 * The claims of a token. `aud`: SHA-256 of the agent's public key. `htm`, `htu`: method and path
 * with query (RFC 9449). `bh`: SHA-256 of the body. `boot`: the nonce of the agent's process, so
 * that a token from before a restart is refused without a record of it. `act`: the user on whose
 * behalf, `op`: the operation. Digests and nonces are base64url.
 */
export const TokenClaims = z.strictObject({
  iss: name,
  aud: digest,
  iat: seconds,
  exp: seconds,
  jti: nonce,
  htm: z.string().max(16),
  htu: z.string().max(2048),
  bh: digest,
  boot: nonce,
  op: name.optional(),
  act: name.optional(),
})
export type TokenClaims = z.infer<typeof TokenClaims>

/** The header with the nonce and the clock of the agent for a refused request. */
export const CHALLENGE_HEADER = 'www-authenticate'

export function encodeChallenge(boot: string, now: number): string {
  return `${TOKEN_SCHEME} boot="${boot}", date="${now}"`
}

/** Returns the nonce and the clock (seconds since 1970); undefined for another header. */
export function decodeChallenge(header: string): { boot: string; date: number } | undefined {
  const found = /^Hosting boot="([A-Za-z0-9_-]{22})", date="(\d{1,12})"$/.exec(header)
  return found ? { boot: String(found[1]), date: Number(found[2]) } : undefined
}
