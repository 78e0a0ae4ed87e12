import { useEffect, useState } from 'react'

/** The value after it has not changed for some time: what follows from typing is not requested at once. */
export function usePaused<T>(value: T, pause_ms: number): T {
  const [paused, setPaused] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), pause_ms)
    return () => clearTimeout(timer)
  }, [value, pause_ms])
  return paused
}
