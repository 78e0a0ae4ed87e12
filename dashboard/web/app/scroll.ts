import type { AnyRouter, ParsedLocation } from '@tanstack/react-router'
import { setBounded } from './bounded-map.ts'

/** As many as a browser has steps back. */
const MAX_STEPS = 50

/**
 * Back restores the scroll position. The router's own way keeps every step for as long as the tab
 * is open.
 */
export function keepScroll(router: AnyRouter): void {
  const tops = new Map<string, number>()
  history.scrollRestoration = 'manual'
  router.subscribe('onBeforeLoad', ({ fromLocation }) => {
    if (fromLocation) setBounded(tops, MAX_STEPS, keyOf(fromLocation), scrollY)
  })
  router.subscribe('onRendered', ({ toLocation }) => {
    const top = tops.get(keyOf(toLocation))
    if (top !== undefined) scrollTo(0, top)
  })
}

/** The key of a step of the history. */
const keyOf = ({ state, href }: ParsedLocation): string => state.__TSR_key ?? href
