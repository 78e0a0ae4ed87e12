import { queryOptions } from '@tanstack/react-query'
import type { RefusalCode } from '#shared/kernel/errors.ts'
import { ApiError, call, type Sent } from './client.ts'
import { callSite, type SiteAnswer, type SitePlace } from './site-call.ts'

/** The accounts of the WordPress of a site that work on it. */
export const siteUsersQuery = (site: SitePlace) =>
  queryOptions({
    queryKey: ['site', site.id, 'users'],
    queryFn: () => callSite(site, 'GET wordpress-users'),
    staleTime: 0,
    retry: false,
  })

export type SiteUser = SiteAnswer<'GET wordpress-users'>['users'][number]

/** A token for one login; `user_id` null: as the first administrator. */
export const startLogin = (site: SitePlace, user_id: number | null) =>
  callSite(site, 'POST wordpress-login', { body: { user_id } })

export const confirmPassword = (body: Sent<'POST /api/auth/confirm'>['body']) =>
  call('POST /api/auth/confirm', { body })

/** The code of a refusal that a recent password ends. */
export const CONFIRMATION: RefusalCode = 'confirmation_needed'

/** Whether the user must first confirm the password of the dashboard. */
export const needsConfirmation = (error: unknown): boolean =>
  error instanceof ApiError && error.code === CONFIRMATION
