import { GOLDEN_SECTION } from '#dashboard/kernel/runtime/spread-times.ts'
import {
  type BackupInterval,
  type BackupWindow,
  minuteOf,
  type ProofInterval,
  windowMinutes,
} from '#shared/backups/backup-schedule.ts'
import { isInFuture } from '#shared/kernel/age.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** The Monday at which all periods begin. */
const EPOCH = Date.parse('1970-01-05T00:00:00.000Z')
export const RETRY_MS = HOUR_MS
/** A backup that is later than its interval and this also starts outside the window. */
const LATE_MS = 12 * HOUR_MS

export type ScheduleInterval = Exclude<BackupInterval | ProofInterval, 'off'>
export const INTERVAL_MS: Record<ScheduleInterval, number> = {
  daily: DAY_MS,
  weekly: 7 * DAY_MS,
  monthly: 28 * DAY_MS,
}

export interface Schedule {
  id: number
  every: ScheduleInterval
  window: BackupWindow
  /** The time of the last backup, or since when there could have been one. */
  since: string
  /** The end of the last attempt, if it failed. */
  failed_at: string | null
}

/** Returns the earliest time of the next backup of a site, which is not before `now`. */
export function nextBackup({ id, every, window, since, failed_at }: Schedule, now: Date): Date {
  // A backup of the future delays no other one.
  const from = isInFuture(since, now) ? 0 : Date.parse(since)
  const slot = slotAfter({ id, every, window }, from)
  const earliest = Math.max(slot, retryAt(failed_at, now), now.getTime())
  if (openingAt(window, earliest) === earliest) return new Date(earliest)
  const late = Math.max(earliest, from + INTERVAL_MS[every] + LATE_MS)
  return new Date(Math.min(openingAt(window, earliest), late))
}

/** Returns when the window is open next, an hour after a failed attempt at the earliest. */
export function nextOpening(
  { window, failed_at }: Pick<Schedule, 'window' | 'failed_at'>,
  now: Date,
): Date {
  return new Date(openingAt(window, Math.max(retryAt(failed_at, now), now.getTime())))
}

/** Returns the earliest time of a retry in ms; 0 for at once. */
const retryAt = (failed_at: string | null, now: Date): number =>
  failed_at === null || isInFuture(failed_at, now) ? 0 : Date.parse(failed_at) + RETRY_MS

/**
 * Returns the moment of a site after `time`. The golden ratio spreads consecutive ids evenly over
 * the window, and those of a weekly backup over the days of the week too.
 */
function slotAfter({ id, every, window }: Pick<Schedule, 'id' | 'every' | 'window'>, time: number) {
  const share = (id * GOLDEN_SECTION) % 1
  const days = INTERVAL_MS[every] / DAY_MS
  const day = Math.floor(share * days)
  const minutes = minuteOf(window.from) + (share * days - day) * windowMinutes(window)
  const offset = day * DAY_MS + Math.floor(minutes) * MINUTE_MS
  const periods = Math.floor((time - EPOCH - offset) / INTERVAL_MS[every]) + 1
  return EPOCH + offset + periods * INTERVAL_MS[every]
}

/** Returns `time` itself inside the window, else the time when the window opens next. */
function openingAt(window: BackupWindow, time: number): number {
  const from = minuteOf(window.from) * MINUTE_MS
  const passed = (((time - EPOCH - from) % DAY_MS) + DAY_MS) % DAY_MS
  return passed < windowMinutes(window) * MINUTE_MS ? time : time - passed + DAY_MS
}
