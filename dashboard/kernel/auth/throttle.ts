import type { Clock } from '#dashboard/kernel/runtime/clock.ts'
import { tooMany } from '#shared/kernel/errors.ts'

const WINDOW_MS = 15 * 60_000
const MAX_KEYS = 50_000

class FailureCounter {
  readonly #clock: Clock
  readonly #times = new Map<string, number[]>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  count(key: string): number {
    return this.#recent(key).length
  }

  /** Throws 429, with the seconds to wait, when there are `most` failures. */
  check(key: string, most: number): void {
    const recent = this.#recent(key)
    const oldest = recent[recent.length - most]
    if (oldest === undefined) return
    const wait_ms = oldest + WINDOW_MS - this.#clock.elapsed()
    throw tooMany(
      'Too many failed attempts, try again later',
      Math.max(1, Math.ceil(wait_ms / 1000)),
    )
  }

  /** Counts a failure; the returned function removes it again. */
  add(key: string): () => void {
    const now = this.#clock.elapsed()
    const times = this.#recent(key)
    this.#times.delete(key)
    this.#times.set(key, [...times, now])
    const [stalest] = this.#times.keys()
    if (this.#times.size > MAX_KEYS && stalest !== undefined) this.#times.delete(stalest)
    return () => this.#remove(key, now)
  }

  clear(key: string): void {
    this.#times.delete(key)
  }

  #recent(key: string): number[] {
    const since = this.#clock.elapsed() - WINDOW_MS
    const recent = (this.#times.get(key) ?? []).filter((time) => time > since)
    if (recent.length === 0) this.#times.delete(key)
    return recent
  }

  #remove(key: string, time: number): void {
    const times = this.#times.get(key) ?? []
    const index = times.indexOf(time)
    if (index >= 0) this.#times.set(key, times.toSpliced(index, 1))
  }
}

/** The limits of failures in 15 minutes. */
const MAX_FAILURES_OF_ACCOUNT = 5
const MAX_FAILURES_OF_ADDRESS = 20
const MAX_FAILURES_OF_SESSION = 5
const MAX_WRONG_CODES = 10
const MAX_RESETS_OF_ACCOUNT = 3
const MAX_STARTS_OF_ADDRESS = 60

const FIRST_DELAY_MS = 250
const MAX_DELAY_MS = 10_000

export interface Origin {
  /** The address as returned by `prefixOf`. */
  address: string
  /** The browser, if it has logged in to this account before. */
  device: string | undefined
}

/** One check of a password, which counts as failed until one of these is called. */
export interface Attempt {
  /** How long the check has to wait. */
  delay_ms: number
  succeed(): void
  /** Ends a check in which the password was not checked. */
  withdraw(): void
}

/** What a signed-in user confirms with the password, or with a code. */
type Confirmation =
  | 'e-mail change'
  | 'password change'
  | 'new token'
  | 'confirmation'
  | 'second factor'
  | 'first code'

/**
 * Limits guesses without locking the owner out. From one address, 5 failures of an account and 20 in
 * all are refused for 15 minutes. Failures of an account from many addresses only delay the next ones,
 * except for ten wrong codes after a right first factor. A known device is counted separately.
 */
export class Throttle {
  readonly #failures: FailureCounter

  constructor(clock: Clock) {
    this.#failures = new FailureCounter(clock)
  }

  /** Begins a login. Throws 429 with the seconds to wait. */
  login(account: string, { address, device }: Origin): Attempt {
    if (device !== undefined) return this.#attempt(`device ${device}`, MAX_FAILURES_OF_ACCOUNT)
    const own = `address ${address}`
    this.#failures.check(own, MAX_FAILURES_OF_ADDRESS)
    const delay_ms = delayOf(this.#failures.count(`account ${account}`))
    return {
      ...this.#attempt(`${own} ${account}`, MAX_FAILURES_OF_ACCOUNT, own, `account ${account}`),
      delay_ms,
    }
  }

  /**
   * Begins the check of a code after the first factor of a login, which somebody else may know: the
   * limit holds for all addresses together, and nobody without the first factor can use it up.
   */
  code(account: string, device: string | undefined): Attempt {
    const of = device === undefined ? `account ${account}` : `device ${device}`
    return this.#attempt(`code of ${of}`, MAX_WRONG_CODES)
  }

  /** Begins the confirmation of a password by a signed-in user. `what` is counted separately. */
  confirm(what: Confirmation, session: string): Attempt {
    return this.#attempt(`${what} ${session}`, MAX_FAILURES_OF_SESSION)
  }

  /** Begins the use of an invitation, which is withdrawn if there is one. */
  invitation(address: string): Attempt {
    return this.#attempt(`invitation ${address}`, MAX_FAILURES_OF_ADDRESS)
  }

  /** Counts the begin of a login at a provider. Throws 429 for too many from an address. */
  startSso(address: string): void {
    this.#failures.check(`sso start ${address}`, MAX_STARTS_OF_ADDRESS)
    this.#failures.add(`sso start ${address}`)
  }

  /** Begins the end of a login at a provider, which is withdrawn if that has succeeded. */
  sso(address: string): Attempt {
    return this.#attempt(`sso ${address}`, MAX_FAILURES_OF_ADDRESS)
  }

  /**
   * Counts a request for a link to set a password. Throws 429 for too many from an address; false
   * means that the account has had enough of them from all addresses, which nobody learns.
   */
  reset(account: string, address: string): boolean {
    const own = `reset ${address}`
    this.#failures.check(own, MAX_FAILURES_OF_ADDRESS)
    this.#failures.check(`${own} ${account}`, MAX_RESETS_OF_ACCOUNT)
    const sent = this.#failures.count(`reset of ${account}`)
    for (const key of [own, `${own} ${account}`, `reset of ${account}`]) this.#failures.add(key)
    return sent < MAX_RESETS_OF_ACCOUNT
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

/** Returns the delay, which doubles with each failure beyond the limit of one address. */
function delayOf(failures: number): number {
  if (failures < MAX_FAILURES_OF_ACCOUNT) return 0
  return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - MAX_FAILURES_OF_ACCOUNT))
}
