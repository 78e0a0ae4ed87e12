import { Limit } from '#dashboard/runtime/limit.ts'
import type { Secret } from '#shared/secret.ts'

/** `memory_kib` and `rounds` of argon2id (RFC 9106). */
export interface PasswordCost {
  memory_kib: number
  rounds: number
}

export const STRONG: PasswordCost = { memory_kib: 65_536, rounds: 2 }

const AT_ONCE = 2
const IN_LINE = 32

/** Each hash takes 64 MiB and 0.15 s: two at a time, and a short line. */
export class Passwords {
  readonly #limit = new Limit(AT_ONCE, IN_LINE)
  readonly #cost: PasswordCost
  readonly #nobody: string

  constructor(cost: PasswordCost) {
    this.#cost = cost
    this.#nobody = hashOfNothing(cost)
  }

  hash(password: Secret): Promise<string> {
    const { memory_kib: memoryCost, rounds: timeCost } = this.#cost
    return this.#limit.run(() =>
      Bun.password.hash(password.reveal(), { algorithm: 'argon2id', memoryCost, timeCost }),
    )
  }

  /** Without a hash it takes as long and is false: nobody learns which accounts there are. */
  async verify(password: Secret, hash: string | undefined): Promise<boolean> {
    const against = hash ?? this.#nobody
    const matches = await this.#limit.run(() => Bun.password.verify(password.reveal(), against))
    return matches && hash !== undefined
  }
}

/** Of no password that anybody knows, in the form of RFC 9106: only the time counts that it takes. */
function hashOfNothing({ memory_kib, rounds }: PasswordCost): string {
  const zeros = 'A'.repeat(43)
  return `$argon2id$v=19$m=${memory_kib},t=${rounds},p=1$${zeros}$${zeros}`
}
