import type { Clock } from '#dashboard/kernel/runtime/clock.ts'
import { FairLimit, type Turn } from '#dashboard/kernel/runtime/fair-limit.ts'
import type { Secret } from '#shared/kernel/secret.ts'

/** The cost of argon2id (RFC 9106). */
export interface PasswordCost {
  memory_kib: number
  rounds: number
}

export const DEFAULT_PASSWORD_COST: PasswordCost = { memory_kib: 65_536, rounds: 2 }

const MAX_CONCURRENT = 2
const MAX_WAITING = 128

export interface CheckOrigin {
  /** The queue: a known device or session, or the address of an unknown client. */
  by: string
  /** Whether the client is known, which gives it priority. */
  known: boolean
  delay_ms: number
}

const SETUP_TEXT: Turn = { by: 'setup', first: true }

/** Hashes passwords (64 MiB, 0.15 s); known and unknown clients have queues of 128. */
export class Passwords {
  readonly #limit = new FairLimit(MAX_CONCURRENT, MAX_WAITING)
  readonly #cost: PasswordCost
  readonly #clock: Clock
  readonly #nobody: string

  constructor(cost: PasswordCost, clock: Clock) {
    this.#cost = cost
    this.#clock = clock
    this.#nobody = hashOfNothing(cost)
  }

  /** Hashes a password of an authenticated user. */
  hash(password: Secret): Promise<string> {
    const { memory_kib: memoryCost, rounds: timeCost } = this.#cost
    return this.#limit.run(SETUP_TEXT, () =>
      Bun.password.hash(password.reveal(), { algorithm: 'argon2id', memoryCost, timeCost }),
    )
  }

  /**
   * Takes the same time without a hash, which does not reveal which accounts exist. An empty hash is
   * that of an account without a password, which no password opens.
   */
  async verify(password: Secret, hash = '', origin: CheckOrigin): Promise<boolean> {
    const against = hash === '' ? this.#nobody : hash
    const matches = await this.#limit.run(this.#turnOf(origin), () =>
      Bun.password.verify(password.reveal(), against),
    )
    return matches && hash !== ''
  }

  #turnOf({ by, known, delay_ms }: CheckOrigin): Turn {
    if (delay_ms === 0) return { by, first: known }
    return { by, first: known, ready: (signal) => this.#clock.sleep(delay_ms, signal) }
  }
}

/** Returns the hash of an unknown password, in the form of RFC 9106: only its time matters. */
function hashOfNothing({ memory_kib, rounds }: PasswordCost): string {
  const zeros = 'A'.repeat(43)
  return `$argon2id$v=19$m=${memory_kib},t=${rounds},p=1$${zeros}$${zeros}`
}
