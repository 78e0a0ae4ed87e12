import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { z } from 'zod'
import { makeQueryClient } from '#dashboard/web/api/query-client.ts'
import { noteSessionEnd } from '#dashboard/web/api/session.ts'
import { makeRouter } from '#dashboard/web/app/router.ts'
import { followTheme } from '#dashboard/web/app/theme-choice.ts'
import { Toasts } from '#dashboard/web/ui/toasts.tsx'

// Its probe for eval would be a refusal of the content security policy on every page.
z.config({ jitless: true })
/** The pages without a signed-in user. */
const OUTSIDE = ['/login', '/reset']
/** Requests again who is signed in, and what they may do: the answer leads to the right page. */
const lookAgain = () => {
  client.removeQueries({ queryKey: ['rights'] })
  void router.invalidate()
}
const client = makeQueryClient(() => {
  if (OUTSIDE.includes(router.state.location.pathname)) return
  noteSessionEnd()
  client.removeQueries({ queryKey: ['me'] })
  lookAgain()
}, lookAgain)
const router = makeRouter(client)
const place = document.getElementById('root')
if (!place) throw new Error('index.html has no place for the pages')

// The code of the page loads during the request for the signed-in user.
const { pathname, search } = router.latestLocation
for (const { routeId } of router.matchRoutes(pathname, search))
  void router.loadRouteChunk(router.routesById[routeId])
followTheme()
createRoot(place).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
        <Toasts />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
)
