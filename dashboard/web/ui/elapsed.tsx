import { useSyncExternalStore } from 'react'
import { formatDuration } from './format.ts'

/** The duration from `since` to `until`, or until now, ticking. */
export function Elapsed({ since, until }: { since: string; until: string | null }) {
  const current = useSeconds(until === null)
  const end = until === null ? current : Date.parse(until)
  return <span className="tabular-nums">{formatDuration(end - Date.parse(since))}</span>
}

/** The time until then, ticking: `in 4 s`. */
export function Countdown({ to }: { to: string }) {
  const left = Date.parse(to) - useSeconds(true)
  return <span className="tabular-nums">{left < 500 ? 'now' : `in ${formatDuration(left)}`}</span>
}

let now = Date.now()
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

/** The current time, every second: one clock, so that all are drawn together. */
function useSeconds(ticks: boolean): number {
  return useSyncExternalStore(ticks ? subscribe : still, () => now)
}

const still = () => () => undefined

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) now = Date.now()
  listeners.add(listener)
  timer ??= setInterval(tick, 1_000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

function tick(): void {
  now = Date.now()
  for (const listener of listeners) listener()
}
