import { createHash, sign } from 'node:crypto'
import { TOKEN_SCHEME, TOKEN_SECONDS, TOKEN_TYPE, type TokenClaims } from '#shared/kernel/token.ts'
import type { SigningKey } from './signing-key.ts'

export interface SignedCall {
  /** SHA-256 of the agent's public key, base64url. */
  audience: string
  /** The nonce of the agent's process. */
  boot: string
  method: string
  /** Path and query. */
  path: string
  body: string
  operation_id?: string
  /** Seconds since 1970. */
  now: number
  /** 128 random bits, base64url: never used twice. */
  id: string
}

/** The Authorization header of one request: valid once, for 30 seconds, for this agent and this body. */
export function signRequest(key: SigningKey, call: SignedCall): string {
  const claims: TokenClaims = {
    iss: key.kid,
    aud: call.audience,
    iat: call.now,
    exp: call.now + TOKEN_SECONDS,
    jti: call.id,
    htm: call.method,
    htu: call.path,
    bh: createHash('sha256').update(call.body).digest('base64url'),
    boot: call.boot,
    ...(call.operation_id ? { op: call.operation_id } : {}),
  }
  const header = { alg: 'EdDSA', kid: key.kid, typ: TOKEN_TYPE }
  const text = `${part(header)}.${part(claims)}`
  const signature = sign(null, Buffer.from(text), key.private_key).toString('base64url')
  return `${TOKEN_SCHEME} ${text}.${signature}`
}

/** SHA-256 of an agent's public key, base64url: the audience of a token. */
export function audienceOf(public_key: string): string {
  return createHash('sha256').update(public_key).digest('base64url')
}

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
