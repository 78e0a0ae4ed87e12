import type { MailCounts } from '#shared/mail/mail.ts'

const HOUR_MS = 3_600_000
const HOURS = 24
const MAX_FAILURES = 20

type DeliveryFailure = MailCounts['failures'][number]
export interface HourCounts {
  hour: number
  sent: number
  failed: number
  refused: number
}

/** The state that survives the process, beside the messages. */
export interface StoredCounts {
  hours: HourCounts[]
  last_sent_at: string | null
  failures: DeliveryFailure[]
}

/** The number of recipients of a site's mail, by hours of the clock, for the last 24 hours. */
export class RecipientCounts {
  readonly #now: () => number
  #kept: StoredCounts

  constructor(
    now: () => number,
    kept: StoredCounts = { hours: [], last_sent_at: null, failures: [] },
  ) {
    this.#now = now
    this.#kept = kept
  }

  get kept(): StoredCounts {
    return this.#kept
  }

  sent(recipients: number): void {
    this.#hour().sent += recipients
    this.#kept.last_sent_at = new Date(this.#now()).toISOString()
  }

  failed(failures: readonly Omit<DeliveryFailure, 'at'>[]): void {
    if (failures.length === 0) return
    this.#hour().failed += failures.length
    const at = new Date(this.#now()).toISOString()
    const dated = failures.map((failure) => ({ at, ...failure }))
    this.#kept.failures = [...dated, ...this.#kept.failures].slice(0, MAX_FAILURES)
  }

  refused(): void {
    this.#hour().refused += 1
  }

  get sentThisHour(): number {
    return this.#hour().sent
  }

  get nextHour(): number {
    return (this.#number() + 1) * HOUR_MS
  }

  day(what: 'sent' | 'failed' | 'refused'): number {
    this.#hour()
    return this.#kept.hours.reduce((sum, hour) => sum + hour[what], 0)
  }

  #number(): number {
    return Math.floor(this.#now() / HOUR_MS)
  }

  /** Returns the counts of this hour; hours in the future are from before a clock change. */
  #hour(): HourCounts {
    const hour = this.#number()
    const recent = this.#kept.hours.filter((one) => one.hour > hour - HOURS && one.hour <= hour)
    const found = recent.find((one) => one.hour === hour)
    const current = found ?? { hour, sent: 0, failed: 0, refused: 0 }
    this.#kept.hours = found ? recent : [...recent, current]
    return current
  }
}
