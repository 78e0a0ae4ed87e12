import { type RefObject, useLayoutEffect, useRef, useState } from 'react'

/** The height of the sticky bar and headings above, and of the selection bar below. */
export const ABOVE_PX = 56 + 41
export const BELOW_PX = 72

/** The distance of an element from the top of the document, also after changes. */
export function useDocumentTop(element: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    const measure = () => {
      const box = element.current?.getBoundingClientRect()
      if (box) setTop(Math.round(box.top + window.scrollY))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [element])
  return top
}

/** Another list starts at its top. */
export function useTopOnChange(shown: unknown, top: number): void {
  const before = useRef(shown)
  useLayoutEffect(() => {
    if (before.current === shown) return
    before.current = shown
    const first = Math.max(0, top - ABOVE_PX)
    if (window.scrollY > first) window.scrollTo(0, first)
  }, [shown, top])
}

/** Scrolls only as far as needed to show a row. */
export function reveal(top: number, height: number): void {
  const { scrollY, innerHeight } = window
  const lowest = scrollY + innerHeight - BELOW_PX
  if (top < scrollY + ABOVE_PX) window.scrollTo(0, top - ABOVE_PX)
  else if (top + height > lowest) window.scrollTo(0, scrollY + top + height - lowest)
}
