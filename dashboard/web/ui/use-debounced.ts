import { useEffect, useState } from 'react'

/** A value after it has not changed for a while: what follows from typing is not requested at once. */
export function useDebounced<T>(value: T, pause_ms: number): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pause_ms)
    return () => clearTimeout(timer)
  }, [value, pause_ms])
  return settled
}
