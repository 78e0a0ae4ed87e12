import type { QueryClient } from '@tanstack/react-query'
import { createRouter } from '@tanstack/react-router'
import { NotFound } from '#dashboard/web/ui/not-found.tsx'
import { ErrorPage } from './error-page.tsx'
import { Pending } from './pending.tsx'
import { parsePlain, writePlain } from './plain-search.ts'
import { routeTree } from './routes.tsx'
import { keepScroll } from './scroll.ts'

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
    defaultErrorComponent: ErrorPage,
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
