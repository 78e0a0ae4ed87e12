import { queryOptions } from '@tanstack/react-query'
import type { Plan } from '#shared/kernel/plan.ts'
import { withConfirmation } from './password-confirmation.ts'
import { ONCE } from './query-client.ts'
import { type SiteBody, type SitePlace, type SiteWork, siteWork, startOnSite } from './site-call.ts'

export const changeSite = (site: SitePlace, input: SiteBody<'PATCH'>) =>
  siteWork(site, 'PATCH', input)

/** Issues, renews or removes the certificate of a site. */
export const issueTls = (site: SitePlace, tls: SiteBody<'POST tls'>['tls']) =>
  siteWork(site, 'POST tls', { tls })

/** Scans the WordPress of a site; it has no plan, because it changes nothing. */
export const scanSite = (site: SitePlace): SiteWork => ({
  key: ['scan', site.id],
  call: () => startOnSite(site, 'POST scan'),
})

/** Moves a site to the trash. */
export const deleteSite = (site: SitePlace, without_backup = false) =>
  siteWork(site, 'DELETE', { without_backup })

export const restoreSite = (site: SitePlace) => siteWork(site, 'POST restore')

/** Deletes a site permanently. */
export const purgeSite = (site: SitePlace & { domain: string }): SiteWork =>
  confirmed(siteWork(site, 'POST purge', { domain: site.domain }))

/** The same work, for which the user enters the password of the dashboard if it is needed. */
export const confirmed = (work: SiteWork): SiteWork => ({
  ...work,
  call: (more) => withConfirmation(() => work.call(more)),
})

/** Backs a site up; without a target, in the target of the site. */
export const createBackup = (site: SitePlace, target_id?: number) =>
  siteWork(site, 'POST backups', { ...(target_id !== undefined && { target_id }) })

/** Proves a backup of a site; by default the newest one. */
export const proveBackup = (site: SitePlace, backup_id?: number) =>
  siteWork(site, 'POST backups/prove', { ...(backup_id !== undefined && { backup_id }) })

export const restoreBackup = (
  site: SitePlace,
  input: Pick<SiteBody<'POST backups/restore'>, 'backup_id' | 'parts'>,
) => confirmed(siteWork(site, 'POST backups/restore', input))

/** Undoes the last restore of a site. */
export const undoRestore = (site: SitePlace) => siteWork(site, 'POST backups/undo')

/** Starts the work; returns the id of the operation, if there is one. */
export async function startWork({ call, accept }: SiteWork): Promise<string | undefined> {
  return (await call(accept ? { accept } : {})).operation_id
}

/** No work: for a plan that is not requested yet. */
const NO_WORK: SiteWork = { key: [], call: () => Promise.reject(new Error('No work')) }

/** The current plan, from the agent; it is not requested without work. */
export const planQuery = (work: SiteWork | undefined) => {
  const { key, call } = work ?? NO_WORK
  return queryOptions({
    queryKey: ['plan', ...key],
    queryFn: async () => {
      const { body } = await call({ dry_run: true })
      return (body as { plan: Plan }).plan
    },
    enabled: work !== undefined,
    // While the work runs it has no plan. The next dialog requests it again.
    ...ONCE,
  })
}
