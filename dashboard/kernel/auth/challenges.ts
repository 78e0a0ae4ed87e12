import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'

export const CHALLENGE_SECONDS = 5 * 60

const NONCE_BYTES = 16
const TIME_BYTES = 6
const MAC_BYTES = 32

/** The purpose of a challenge: one for a login confirms nothing, and adds no passkey. */
export type ChallengePurpose = 'login' | 'confirm' | 'add'

/** A challenge that was issued here. `hash` names it in the records once it is used. */
export interface ValidChallenge {
  hash: string
  expires_at: string
}

type Deps = Pick<CommonDeps, 'clock' | 'random'>

/**
 * Issues the challenges that passkeys sign: a nonce, the end of its time and a MAC over both, over
 * the purpose and over the session or the login attempt that it belongs to. Only a used one is
 * stored (`used_challenges`): a caller without an account cannot fill the records, and any
 * dashboard with the same secret can check it.
 */
export class Challenges {
  readonly #key: Buffer
  readonly #deps: Deps

  constructor(secret: string, deps: Deps) {
    this.#key = createHmac('sha256', secret).update('passkey challenge').digest()
    this.#deps = deps
  }

  /** Returns a challenge in base64url. `bound_to` names a session, or the cookie of a login attempt. */
  issue(purpose: ChallengePurpose, bound_to: string): string {
    const { clock, random } = this.#deps
    const time = Buffer.alloc(TIME_BYTES)
    time.writeUIntBE(clock.now().getTime() + CHALLENGE_SECONDS * 1000, 0, TIME_BYTES)
    const head = Buffer.concat([random(NONCE_BYTES), time])
    return Buffer.concat([head, this.#mac(head, purpose, bound_to)]).toString('base64url')
  }

  /** Returns undefined for a challenge of somebody else, for something else, or of the past. */
  check(
    challenge: string,
    purpose: ChallengePurpose,
    bound_to: string,
  ): ValidChallenge | undefined {
    const bytes = Buffer.from(challenge, 'base64url')
    if (bytes.length !== NONCE_BYTES + TIME_BYTES + MAC_BYTES) return undefined
    const head = bytes.subarray(0, NONCE_BYTES + TIME_BYTES)
    const own = this.#mac(head, purpose, bound_to)
    if (!timingSafeEqual(bytes.subarray(head.length), own)) return undefined
    const expires = head.readUIntBE(NONCE_BYTES, TIME_BYTES)
    if (expires <= this.#deps.clock.now().getTime()) return undefined
    return {
      hash: createHash('sha256').update(bytes).digest('hex'),
      expires_at: new Date(expires).toISOString(),
    }
  }

  #mac(head: Buffer, purpose: ChallengePurpose, bound_to: string): Buffer {
    const parts = JSON.stringify([head.toString('base64url'), purpose, bound_to])
    return createHmac('sha256', this.#key).update(parts).digest()
  }
}
