import type { Clock } from '#dashboard/kernel/runtime/clock.ts'
import { Failures } from './failures.ts'

/** Failures in 15 minutes. */
const SAME_ACCOUNT = 5
const SAME_ADDRESS = 20
const SAME_SESSION = 5

const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 10_000

/** Where a login comes from. */
export interface Origin {
  /** As returned by `prefixOf`. */
  address: string
  /** The browser, if it has logged in to this account before. */
  device: string | undefined
}

/** One check of a password, which counts as failed until one of these is called. */
export interface Attempt {
  /** How long the check has to wait. */
  delay_ms: number
  succeed(): void
  /** The password was not checked. */
  withdraw(): void
}

/**
 * Limits guesses without locking the owner out. From one address, 5 failures of an account and 20 in
 * all are refused for 15 minutes. Failures of an account from many addresses only delay the next ones.
 * A known device is counted separately.
 */
export class Throttle {
  readonly #failures: Failures

  constructor(clock: Clock) {
    this.#failures = new Failures(clock)
  }

  /** Throws 429 with the seconds to wait. */
  login(account: string, { address, device }: Origin): Attempt {
    if (device !== undefined) return this.#attempt(`device ${device}`, SAME_ACCOUNT)
    const own = `address ${address}`
    this.#failures.check(own, SAME_ADDRESS)
    const delay_ms = delayOf(this.#failures.count(`account ${account}`))
    return {
      ...this.#attempt(`${own} ${account}`, SAME_ACCOUNT, own, `account ${account}`),
      delay_ms,
    }
  }

  /** A signed-in user confirms the password. `what` is counted separately. */
  confirm(what: 'password change' | 'new token' | 'confirmation', session: string): Attempt {
    return this.#attempt(`${what} ${session}`, SAME_SESSION)
  }

  #attempt(key: string, most: number, ...others: readonly string[]): Attempt {
    this.#failures.check(key, most)
    const removals = [key, ...others].map((each) => this.#failures.add(each))
    const withdraw = () => {
      for (const remove of removals) remove()
    }
    const succeed = () => {
      withdraw()
      this.#failures.clear(key)
    }
    return { delay_ms: 0, succeed, withdraw }
  }
}

/** Doubles with each failure beyond the limit of one address. */
function delayOf(failures: number): number {
  if (failures < SAME_ACCOUNT) return 0
  return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - SAME_ACCOUNT))
}
