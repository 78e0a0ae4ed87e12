import { jwt } from '@elysiajs/jwt'
import { z } from 'zod'
import type { Clock } from '#dashboard/kernel/runtime/clock.ts'

export const SESSION_SECONDS = 7 * 24 * 3600
const ISSUER = 'hosting-control'
const AUDIENCE = 'hosting-control-dashboard'
const MAX_CACHED = 10_000

const Claims = z.object({
  sub: z.string().regex(/^[1-9]\d{0,14}$/),
  jti: z.string().min(1),
  exp: z.number(),
})
export type Claims = z.infer<typeof Claims>

/** Signs and verifies the JWT of a session (RFC 7519, HS256 only). */
export class Tokens {
  readonly #jwt: ReturnType<typeof signer>
  readonly #clock: Clock
  /** A cache of verified tokens, since verifying costs more than the rest of a request. */
  readonly #verified = new Map<string, Claims>()

  constructor(secret: string, clock: Clock) {
    this.#jwt = signer(secret)
    this.#clock = clock
  }

  sign({ user_id, jti }: { user_id: number; jti: string }): Promise<string> {
    const exp = Math.floor(this.#clock.now().getTime() / 1000) + SESSION_SECONDS
    return this.#jwt.sign({ sub: String(user_id), jti, exp })
  }

  /** Returns the claims of a valid token, whatever its session is; else undefined. */
  async verify(token: string): Promise<Claims | undefined> {
    const now = this.#clock.now()
    const known = this.#verified.get(token)
    if (known) return known.exp * 1000 > now.getTime() ? known : undefined
    const payload = await this.#jwt.verify(token, {
      algorithms: ['HS256'],
      issuer: ISSUER,
      audience: AUDIENCE,
      requiredClaims: ['exp', 'sub', 'jti'],
      currentDate: now,
    })
    const claims = Claims.safeParse(payload).data
    if (claims) this.#remember(token, claims)
    return claims
  }

  #remember(token: string, claims: Claims): void {
    const [oldest] = this.#verified.keys()
    if (this.#verified.size >= MAX_CACHED && oldest !== undefined) this.#verified.delete(oldest)
    this.#verified.set(token, claims)
  }
}

function signer(secret: string) {
  return jwt({ name: 'jwt', secret, alg: 'HS256', iss: ISSUER, aud: AUDIENCE }).decorator.jwt
}
