/** The time limits in milliseconds. */
export interface TimeLimits {
  /** How long the first answer of an agent may take before the server counts as offline. */
  contact_ms: number
  /** How late the answer of a call may be that an agent holds for a time. */
  late_ms: number
  /** How long any other answer of an agent may take. */
  answer_ms: number
  /** How long an operation waits for an offline agent since its last answer. */
  deadline_ms: number
  longest_ms: number
  /** The longest freeze of a site that moves; its server also ends it automatically. */
  freeze_ms: number
  /** The first pause before a retry; it doubles up to `retry_max_ms`. */
  retry_min_ms: number
  retry_max_ms: number
  /** How long a call waits for the outcome of an operation that it does not stream. */
  response_timeout_ms: number
  /** The time without its agent after which an operation reports that; a restart takes less. */
  notice_ms: number
  ping_ms: number
  /** How long an operation waits for name servers after a change of DNS records. */
  dns_ms: number
}

export const DEFAULT_TIME_LIMITS: TimeLimits = {
  contact_ms: 5_000,
  late_ms: 3_000,
  answer_ms: 30_000,
  deadline_ms: 30 * 60_000,
  longest_ms: 24 * 3600_000,
  freeze_ms: 5 * 60_000,
  retry_min_ms: 500,
  retry_max_ms: 30_000,
  response_timeout_ms: 120_000,
  notice_ms: 5_000,
  ping_ms: 10_000,
  dns_ms: 10_000,
}
