import { clockOf } from './clock.ts'
import { formatDuration } from './format.ts'

const useSeconds = clockOf(1_000)

/** The duration from `since` to `until`, or until now, ticking. */
export function Elapsed({ since, until }: { since: string; until: string | null }) {
  const current = useSeconds(until === null)
  const end = until === null ? current : Date.parse(until)
  return <span className="tabular-nums">{formatDuration(end - Date.parse(since))}</span>
}

/** The time until `to`, updated each second, such as `in 4 s`. */
export function Countdown({ to }: { to: string }) {
  const left = Date.parse(to) - useSeconds()
  return <span className="tabular-nums">{left < 500 ? 'now' : `in ${formatDuration(left)}`}</span>
}
