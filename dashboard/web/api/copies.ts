import { queryOptions } from '@tanstack/react-query'
import { type Sent, start } from './client.ts'
import { withConfirmation } from './password-confirmation.ts'
import { ONCE } from './query-client.ts'
import {
  callSite,
  type SiteBody,
  type SitePlace,
  type SiteWork,
  siteWork,
  startSiteOperation,
} from './site-call.ts'

export type NewClone = Sent<'POST /api/servers/:server_id/sites/clone'>['body']

interface CloneWork extends SiteWork {
  /** Starts the clone; its operation makes the copy. */
  begin(accepted: Pick<SiteWork, 'accept'>): Promise<{ id: number; operation: string | undefined }>
}

/** The work that clones a site or a backup to a new site on a server. */
export function cloneSite(server_id: number, input: NewClone): CloneWork {
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
export const showStagingPassword = (site: SitePlace) =>
  withConfirmation(() => callSite(site, 'POST staging-password'))

/** Generates a new password and returns it; the query client never has it. */
export async function changeStagingPassword(site: SitePlace) {
  const answer = await withConfirmation(() => callSite(site, 'POST staging-password/change'))
  if ('plan' in answer) throw new Error('The dashboard answered with a plan')
  return answer
}

/** Replaces the content of a staging site. */
export const refreshStaging = (staging: SitePlace, from: NewClone['from']) =>
  siteWork(staging, 'POST refresh', { from })

/** The id of the operation that compares a live site with its staging site. */
export const comparisonQuery = (live: SitePlace, staging_id: number) =>
  queryOptions({
    queryKey: ['compare', live.id, staging_id],
    queryFn: () => startSiteOperation(live, 'POST compare', { body: { staging_id } }),
    ...ONCE,
  })

/** Pushes files and tables to a live site. */
export const pushStaging = (live: SitePlace, input: SiteBody<'POST push'>) =>
  siteWork(live, 'POST push', input)
