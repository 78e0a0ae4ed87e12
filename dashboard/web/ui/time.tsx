import { clockOf } from './clock.ts'
import { formatDuration, formatRelative, formatTime } from './format.ts'

const TICK_MS = 5_000

/** The current time in milliseconds, every five seconds: one clock for the whole page. */
export const useNow = clockOf(TICK_MS)

/** The relative time; the exact time on hover. `at` is ISO 8601; nothing yet shows `none`. */
export function Time({ at, none = 'never' }: { at: string | null | undefined; none?: string }) {
  const current = useNow()
  if (!at) return <span className="text-muted">{none}</span>
  return (
    <time dateTime={at} title={formatTime(at)} className="whitespace-nowrap tabular-nums">
      {formatRelative(at, Math.max(current, Date.now() - TICK_MS))}
    </time>
  )
}

/** The duration since a time, which is shown on hover. `since` is ISO 8601. */
export function Lasting({ since }: { since: string }) {
  const current = useNow()
  const lasted = Math.max(current, Date.now() - TICK_MS) - Date.parse(since)
  return (
    <time dateTime={since} title={formatTime(since)} className="whitespace-nowrap tabular-nums">
      for {formatDuration(lasted)}
    </time>
  )
}
