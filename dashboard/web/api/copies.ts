import { queryOptions } from '@tanstack/react-query'
import { call, type Sent, start, startOperation } from './client.ts'
import { ONCE } from './query-client.ts'
import type { SiteWork } from './site-work.ts'
import type { SitePlace } from './sites.ts'

export type NewCopy = Sent<'POST /api/servers/:server_id/sites/clone'>['body']

interface CopyWork extends SiteWork {
  /** Answers at once; the operation makes the copy. */
  begin(accepted: Pick<SiteWork, 'accept'>): Promise<{ id: number; operation: string | undefined }>
}

/** A copy on this server, of a site or of a backup. */
export function cloneSite(server_id: number, input: NewCopy): CopyWork {
  const send = (more: object) =>
    start('POST /api/servers/:server_id/sites/clone', {
      params: { server_id },
      body: { ...input, ...more },
    })
  return {
    key: ['clone', server_id, input],
    call: send,
    async begin(accepted) {
      const { body, operation_id } = await send(accepted)
      if (!body || 'plan' in body) throw new Error('The dashboard answered with a plan')
      return { id: body.site.id, operation: operation_id }
    },
  }
}

/** The user and password that visitors of a staging site need; the query client never has them. */
export const showStagingPassword = ({ id, server_id }: SitePlace) =>
  call('POST /api/servers/:server_id/sites/:site_id/staging-password', {
    params: { server_id, site_id: id },
  })

/** Generates a new password and returns it; the query client never has it. */
export async function changeStagingPassword({ id, server_id }: SitePlace) {
  const answer = await call('POST /api/servers/:server_id/sites/:site_id/staging-password/change', {
    params: { server_id, site_id: id },
  })
  if ('plan' in answer) throw new Error('The dashboard answered with a plan')
  return answer
}

const at = ({ id, server_id }: SitePlace) => ({ server_id, site_id: id })

/** Replaces the content of a staging site. */
export const refreshStaging = (staging: SitePlace, from: NewCopy['from']): SiteWork => ({
  key: ['refresh', staging.id, from],
  call: (more) =>
    start('POST /api/servers/:server_id/sites/:site_id/refresh', {
      params: at(staging),
      body: { from, ...more },
    }),
})

/** The id of the operation that compares a live site with its staging site. */
export const comparisonQuery = (live: SitePlace, staging_id: number) =>
  queryOptions({
    queryKey: ['compare', live.id, staging_id],
    queryFn: () =>
      startOperation('POST /api/servers/:server_id/sites/:site_id/compare', {
        params: at(live),
        body: { staging_id },
      }),
    ...ONCE,
  })

type Push = Sent<'POST /api/servers/:server_id/sites/:site_id/push'>['body']

/** Pushes files and tables to a live site. */
export const pushStaging = (live: SitePlace, input: Push): SiteWork => ({
  key: ['push', live.id, input],
  call: (more) =>
    start('POST /api/servers/:server_id/sites/:site_id/push', {
      params: at(live),
      body: { ...input, ...more },
    }),
})
