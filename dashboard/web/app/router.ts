import type { QueryClient } from '@tanstack/react-query'
import { type AnyRouter, createRouter, type ParsedLocation } from '@tanstack/react-router'
import { NotFound } from '#dashboard/web/ui/not-found.tsx'
import { Broken } from './broken.tsx'
import { Pending } from './pending.tsx'
import { routeTree } from './routes.tsx'

export function makeRouter(client: QueryClient) {
  const router = createRouter({
    routeTree,
    context: { client },
    parseSearch: parsePlain,
    stringifySearch: writePlain,
    defaultPreload: 'intent',
    // The queries decide what is fresh.
    defaultPreloadStaleTime: 0,
    defaultNotFoundComponent: NotFound,
    defaultErrorComponent: Broken,
    defaultPendingComponent: Pending,
  })
  keepScroll(router)
  return router
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>
  }
}

/**
 * The address has plain parameters: `php=8.0`, `updates=true`. Every value is a text; a name that
 * is given twice has all its values, with commas between them.
 */
export function parsePlain(text: string): Record<string, string> {
  const found = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(text))
    found.set(name, [...(found.get(name) ?? []), value])
  return Object.fromEntries([...found].map(([name, values]) => [name, values.join(',')]))
}

/** With its question mark; empty without parameters. Undefined parameters are omitted. */
export function writePlain(search: Record<string, unknown>): string {
  const given = Object.entries(search).filter(([, value]) => value !== undefined)
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  const text = query.toString().replaceAll('%2C', ',')
  return text && `?${text}`
}

/** As many as a browser has steps back. */
const MOST = 50

/**
 * Back restores the scroll position. The router's own way keeps every step for as long as the tab
 * is open.
 */
function keepScroll(router: AnyRouter): void {
  const tops = new Map<string, number>()
  history.scrollRestoration = 'manual'
  router.subscribe('onBeforeLoad', ({ fromLocation }) => {
    if (fromLocation) keepNewest(tops, MOST, keyOf(fromLocation), scrollY)
  })
  router.subscribe('onRendered', ({ toLocation }) => {
    const top = tops.get(keyOf(toLocation))
    if (top !== undefined) scrollTo(0, top)
  })
}

/** Another one for each step. */
const keyOf = ({ state, href }: ParsedLocation): string => state.__TSR_key ?? href

/** Sets a value of a map with a maximum size: the oldest value is removed. */
export function keepNewest<K, V>(map: Map<K, V>, most: number, key: K, value: V): void {
  map.delete(key)
  map.set(key, value)
  for (const oldest of map.keys()) {
    if (map.size <= most) return
    map.delete(oldest)
  }
}
