import type { QueryClient } from '@tanstack/react-query'
import { redirect } from '@tanstack/react-router'
import { ApiError } from '#dashboard/web/api/client.ts'
import { lacksFactor, meQuery, rightsQuery } from '#dashboard/web/api/session.ts'
import { resetStateFor } from '#dashboard/web/ui/session-state.ts'
import { isClient } from '#shared/kernel/rights.ts'

/** The pages of a client of the agency, who sees no other ones. */
const FOR_CLIENTS = /^\/(your-sites|account)(\/|\?|#|$)/

/**
 * Leads to the login without a signed-in user, and from there back to `href`; to the setup of a
 * second factor that the account needs first; and a client of the agency to their sites.
 */
export async function requireUser(client: QueryClient, href: string): Promise<void> {
  const known = Promise.all([client.ensureQueryData(meQuery), client.ensureQueryData(rightsQuery)])
  const [user, rights] = await known.catch((error: unknown) => {
    if (lacksFactor(error)) throw redirect({ to: '/second-factor' })
    if (!(error instanceof ApiError && error.status === 401)) throw error
    throw redirect({ to: '/login', search: href === '/' ? {} : { to: href } })
  })
  resetStateFor(user.id)
  if (isClient(rights) && !FOR_CLIENTS.test(href)) throw redirect({ to: '/your-sites' })
}

/** Leads to the login without a signed-in user, whatever the account may do. */
export async function requireSession(client: QueryClient): Promise<void> {
  await client.ensureQueryData(meQuery).catch((error: unknown) => {
    if (!(error instanceof ApiError && error.status === 401)) throw error
    throw redirect({ to: '/login' })
  })
}
