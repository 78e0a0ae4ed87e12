import { type RefCallback, useCallback, useState } from 'react'

const STEP = 40
/** How far ahead of the visible part. */
const MARGIN = '1200px'

/**
 * How many rows of a long list are drawn: more when `end`, the element below them, is near the
 * visible part. Another `list` starts from the beginning.
 */
export function useIncrementalRows(list: unknown): {
  count: number
  end: RefCallback<HTMLElement>
} {
  const [state, setState] = useState({ list, count: STEP })
  if (state.list !== list) setState({ list, count: STEP })
  const end = useCallback((element: HTMLElement | null) => {
    if (!element) return
    const grow = () => setState((now) => ({ ...now, count: now.count + STEP }))
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && grow(),
      { rootMargin: MARGIN },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return { count: state.count, end }
}
