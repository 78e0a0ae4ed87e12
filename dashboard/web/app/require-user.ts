import type { QueryClient } from '@tanstack/react-query'
import { redirect } from '@tanstack/react-router'
import { ApiError } from '#dashboard/web/api/client.ts'
import { meQuery, rightsQuery } from '#dashboard/web/api/session.ts'
import { resetStateFor } from '#dashboard/web/ui/session-state.ts'

/** Leads to the login without a signed-in user, and from there back to `href`. */
export async function requireUser(client: QueryClient, href: string): Promise<void> {
  const known = Promise.all([client.ensureQueryData(meQuery), client.ensureQueryData(rightsQuery)])
  const [user] = await known.catch((error: unknown) => {
    if (!(error instanceof ApiError && error.status === 401)) throw error
    throw redirect({ to: '/login', search: href === '/' ? {} : { to: href } })
  })
  resetStateFor(user.id)
}
