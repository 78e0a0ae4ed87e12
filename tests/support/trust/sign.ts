import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { encodeChallenge, TOKEN_SCHEME, TOKEN_TYPE } from '#shared/kernel/token.ts'

/** Signs any claims, also those that no dashboard sends. */
function compact(header: object, claims: object, key: KeyObject): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${part(header)}.${part(claims)}`
  return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`
}

export const digestOf = (data: string) => createHash('sha256').update(data).digest('base64url')
export const nonce = () => randomBytes(16).toString('base64url')

/** An agent refuses a request that has not this nonce; `at`: its clock, in seconds. */
export function challenge(boot: string, at: number): Response {
  const headers = { 'www-authenticate': encodeChallenge(boot, at) }
  return new Response(null, { status: 401, headers })
}

export interface Signer {
  kid: string
  public_key: KeyObject
  private_key: KeyObject
}

export function signer(kid = 'k1'): Signer {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  return { kid, public_key: publicKey, private_key: privateKey }
}

/** The Authorization header of a valid request, changed by a test. */
export function authorization(
  by: Signer,
  claims: object,
  header: object = { alg: 'EdDSA', kid: by.kid, typ: TOKEN_TYPE },
): string {
  return `${TOKEN_SCHEME} ${compact(header, claims, by.private_key)}`
}
