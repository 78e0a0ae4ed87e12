import { z } from 'zod'
import { Domain } from '#shared/kernel/fields.ts'

/** The numbers of a site in a minute and in a day (UTC): sums, except the maximum `active`. */
export const NUMBERS = [
  /** Requests without the health checks of the server itself. */
  'requests',
  'client_errors',
  'server_errors',
  /** Requests that were answered from the page cache. */
  'cache_hits',
  /** Requests that PHP answered, their time in milliseconds, and those above SLOW_MS. */
  'php_requests',
  'php_ms',
  'slow',
  /** The bytes of sent bodies. */
  'bytes',
  /** How often all workers of PHP were busy when another one was needed. */
  'full',
  /** The number of busy workers. */
  'active',
  /** How often the slice of the site reached its memory limit, and processes that were ended for it. */
  'memory',
  'killed',
] as const
export type NumberName = (typeof NUMBERS)[number]
export type Numbers = Record<NumberName, number>

export const SLOW_MS = 2000

export const MINUTE_S = 60
export const DAY_S = 86_400

/** The numbers that an agent keeps while no dashboard asks. */
export const MAX_MINUTES = 120
export const MAX_DAYS = 14

/** The maximum value of one number. */
export const MAX_COUNT = 1e15

const amount = z.int().nonnegative().max(MAX_COUNT)
/** A time in seconds since 1970, at the beginning of the minute or the day. */
const start = (step: number) =>
  z
    .int()
    .nonnegative()
    .max(2 ** 32)
    .multipleOf(step)
const values = z.array(amount).length(NUMBERS.length)

/** Sizes in bytes; null when not measured. */
export const Sizes = z.object({
  files: amount.nullable(),
  database: amount.nullable(),
  cache: amount.nullable(),
  mail: amount.nullable(),
})
export type Sizes = z.infer<typeof Sizes>

const MinuteRow = z.object({ at: start(MINUTE_S), values })
/**
 * A day; `refused` are requests that nginx refused itself, undefined for a day that the agent did
 * not count as a whole, and from an agent that does not count them.
 */
const DayRow = z.object({ at: start(DAY_S), values, sizes: Sizes, refused: amount.optional() })

/** The changes of a site since a time: `at` is that of the last count, for the next call. */
export const SiteCount = z.object({
  domain: Domain,
  at: z
    .int()
    .nonnegative()
    .max(2 ** 32),
  minutes: z.array(MinuteRow).max(MAX_MINUTES),
  days: z.array(DayRow).max(MAX_DAYS),
})
export type SiteCount = z.infer<typeof SiteCount>

const sinceRule = 'Must be a whole number of seconds'
const Seconds = z
  .string(sinceRule)
  .regex(/^\d{1,10}$/, sinceRule)
  .transform(Number)

export const CountsRequest = z.object({ since: Seconds.default(0) })
