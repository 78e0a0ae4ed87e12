import { useSyncExternalStore } from 'react'
import { formatRelative, formatTime } from './format.ts'

const TICK_MS = 5_000

let now = Date.now()
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(tick, TICK_MS)
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

/** The current time in milliseconds, every five seconds: one clock for the whole page. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now)

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
