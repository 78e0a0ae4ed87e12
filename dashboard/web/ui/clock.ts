import { useSyncExternalStore } from 'react'

const still = () => () => undefined

/** A hook that returns the current time, every `period_ms` while it ticks: all are drawn together. */
export function clockOf(period_ms: number): (ticks?: boolean) => number {
  let now = Date.now()
  const listeners = new Set<() => void>()
  let timer: ReturnType<typeof setInterval> | undefined

  function tick(): void {
    now = Date.now()
    for (const listener of listeners) listener()
  }
  function subscribe(listener: () => void): () => void {
    if (listeners.size === 0) now = Date.now()
    listeners.add(listener)
    timer ??= setInterval(tick, period_ms)
    return () => {
      listeners.delete(listener)
      if (listeners.size > 0) return
      clearInterval(timer)
      timer = undefined
    }
  }
  return (ticks = true) => useSyncExternalStore(ticks ? subscribe : still, () => now)
}
