import { useEffect, useState } from 'react'
import { formatDuration } from './format.ts'

/** How long it took from `since` to `until`, or has taken until now, which ticks. */
export function Elapsed({ since, until }: { since: string; until: string | null }) {
  const now = useSeconds(until === null)
  const end = until === null ? now : Date.parse(until)
  return <span className="tabular-nums">{formatDuration(end - Date.parse(since))}</span>
}

/** How long it is until then, which ticks: `in 4 s`. */
export function Countdown({ to }: { to: string }) {
  const left = Date.parse(to) - useSeconds(true)
  return <span className="tabular-nums">{left < 500 ? 'now' : `in ${formatDuration(left)}`}</span>
}

function useSeconds(ticks: boolean): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!ticks) return
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [ticks])
  return now
}
