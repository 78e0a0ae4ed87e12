import { queryOptions } from '@tanstack/react-query'
import type { RefusalCode } from '#shared/kernel/errors.ts'
import { ApiError, call } from './client.ts'
import type { SitePlace } from './sites.ts'

const paramsOf = ({ server_id, id }: SitePlace) => ({ server_id, site_id: id })

/** The accounts of the WordPress of a site that work on it. */
export const siteUsersQuery = (site: SitePlace) =>
  queryOptions({
    queryKey: ['site', site.id, 'users'],
    queryFn: () =>
      call('GET /api/servers/:server_id/sites/:site_id/wordpress-users', {
        params: paramsOf(site),
      }),
    staleTime: 0,
    retry: false,
  })

export type SiteUser = Awaited<
  ReturnType<NonNullable<ReturnType<typeof siteUsersQuery>['queryFn']>>
>['users'][number]

/** A token for one login; `user_id` null: as the first administrator. */
export const startLogin = (site: SitePlace, user_id: number | null) =>
  call('POST /api/servers/:server_id/sites/:site_id/wordpress-login', {
    params: paramsOf(site),
    body: { user_id },
  })

export const confirmPassword = (password: string) =>
  call('POST /api/auth/confirm', { body: { password } })

const CONFIRMATION: RefusalCode = 'confirmation_needed'

/** Whether the user must first confirm the password of the dashboard. */
export const needsConfirmation = (error: unknown): boolean =>
  error instanceof ApiError && error.code === CONFIRMATION
