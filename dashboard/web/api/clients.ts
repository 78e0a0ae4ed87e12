import { queryOptions } from '@tanstack/react-query'
import { type AnswerOf, call } from './client.ts'
import { withConfirmation } from './password-confirmation.ts'
import { ONCE } from './query-client.ts'

const KEY = ['client']

/** The sites of a client of the agency. */
export const clientSitesQuery = queryOptions({
  queryKey: [...KEY, 'sites'],
  queryFn: () => call('GET /api/client/sites'),
})

export const clientSiteQuery = (site_id: number) =>
  queryOptions({
    queryKey: [...KEY, 'site', site_id],
    queryFn: () => call('GET /api/client/sites/:site_id', { params: { site_id } }),
    refetchInterval: ({ state }) => (state.data?.restore?.state === 'running' ? 3_000 : 30_000),
  })

export const requestRestore = (site_id: number, body: { backup_id: number | null; note: string }) =>
  call('POST /api/client/sites/:site_id/restore-request', { params: { site_id }, body })

type Plan = Extract<AnswerOf<'POST /api/client/sites/:site_id/restore'>, { plan: unknown }>['plan']

/** What a restore of a backup would replace. */
export const clientPlanQuery = (site_id: number, backup_id: number) =>
  queryOptions({
    ...ONCE,
    queryKey: [...KEY, 'plan', site_id, backup_id],
    queryFn: async (): Promise<Plan | undefined> => {
      const body = { backup_id, dry_run: true }
      const answer = await call('POST /api/client/sites/:site_id/restore', {
        params: { site_id },
        body,
      })
      return 'plan' in answer ? answer.plan : undefined
    },
  })

export const restoreAsClient = (site_id: number, backup_id: number) =>
  withConfirmation(() =>
    call('POST /api/client/sites/:site_id/restore', { params: { site_id }, body: { backup_id } }),
  )

/** A token for one login, as the user of WordPress with the address of the caller. */
export const startClientLogin = (site_id: number) =>
  call('POST /api/client/sites/:site_id/login', { params: { site_id } })
