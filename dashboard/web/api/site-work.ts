import { queryOptions } from '@tanstack/react-query'
import type { z } from 'zod'
import type { Accept, Plan } from '#shared/kernel/plan.ts'
import { type Sent, start } from './client.ts'
import { ONCE } from './query-client.ts'
import type { SitePlace } from './sites.ts'

interface More {
  dry_run?: true
  /** Accepted changes of what Hosting Control did not create. */
  accept?: Accepted
}

type Accepted = z.input<typeof Accept>

/** A call that starts an operation of a site, and with `dry_run` returns its plan. */
export interface SiteWork {
  /** Unique for this work: its key in the query client. */
  key: readonly unknown[]
  call(more: More): ReturnType<typeof start>
  accept?: Accepted
}

const sent = <B>({ id, server_id }: SitePlace, body: B) => ({
  params: { server_id, site_id: id },
  body,
})

type SiteChange = Sent<'PATCH /api/servers/:server_id/sites/:site_id'>['body']

export const changeSite = (site: SitePlace, input: SiteChange): SiteWork => ({
  key: ['change', site.id, input],
  call: (more) =>
    start('PATCH /api/servers/:server_id/sites/:site_id', sent(site, { ...input, ...more })),
})

type IssueTls = Sent<'POST /api/servers/:server_id/sites/:site_id/tls'>['body']

/** Issues, renews or removes the certificate of a site. */
export const issueTls = (site: SitePlace, tls: IssueTls['tls']): SiteWork => ({
  key: ['tls', site.id, tls],
  call: (more) =>
    start('POST /api/servers/:server_id/sites/:site_id/tls', sent(site, { tls, ...more })),
})

/** Scans the WordPress of a site; it has no plan, because it changes nothing. */
export const scanSite = ({ id, server_id }: SitePlace): SiteWork => ({
  key: ['scan', id],
  call: () =>
    start('POST /api/servers/:server_id/wp-scan', { params: { server_id }, body: { site_id: id } }),
})

/** Moves a site to the trash. */
export const deleteSite = (site: SitePlace, without_backup = false): SiteWork => ({
  key: ['delete', site.id, without_backup],
  call: (more) =>
    start('DELETE /api/servers/:server_id/sites/:site_id', sent(site, { without_backup, ...more })),
})

export const restoreSite = (site: SitePlace): SiteWork => ({
  key: ['restore', site.id],
  call: (body) => start('POST /api/servers/:server_id/sites/:site_id/restore', sent(site, body)),
})

/** Deletes a site permanently. */
export const purgeSite = (site: SitePlace & { domain: string }): SiteWork => ({
  key: ['purge', site.id],
  call: (more) =>
    start(
      'POST /api/servers/:server_id/sites/:site_id/purge',
      sent(site, { domain: site.domain, ...more }),
    ),
})

/** Backs a site up; without a target, in the target of the site. */
export const createBackup = (site: SitePlace, target_id?: number): SiteWork => ({
  key: ['backup', site.id, target_id],
  call: (more) =>
    start(
      'POST /api/servers/:server_id/sites/:site_id/backups',
      sent(site, { ...more, ...(target_id !== undefined && { target_id }) }),
    ),
})

/** Proves a backup of a site; by default the newest one. */
export const proveBackup = (site: SitePlace, backup_id?: number): SiteWork => ({
  key: ['prove-backup', site.id, backup_id],
  call: (more) =>
    start(
      'POST /api/servers/:server_id/sites/:site_id/backups/prove',
      sent(site, { ...more, ...(backup_id !== undefined && { backup_id }) }),
    ),
})

type Restore = Sent<'POST /api/servers/:server_id/sites/:site_id/backups/restore'>['body']

export const restoreBackup = (
  site: SitePlace,
  input: Pick<Restore, 'backup_id' | 'parts'>,
): SiteWork => ({
  key: ['restore-backup', site.id, input],
  call: (more) =>
    start(
      'POST /api/servers/:server_id/sites/:site_id/backups/restore',
      sent(site, { ...input, ...more }),
    ),
})

/** Undoes the last restore of a site. */
export const undoRestore = (site: SitePlace): SiteWork => ({
  key: ['undo-restore', site.id],
  call: (more) =>
    start('POST /api/servers/:server_id/sites/:site_id/backups/undo', sent(site, more)),
})

/** Starts the work; returns the id of the operation, if there is one. */
export async function startWork({ call, accept }: SiteWork): Promise<string | undefined> {
  return (await call(accept ? { accept } : {})).operation_id
}

/** The current plan, from the agent. */
export const planQuery = ({ key, call }: SiteWork) =>
  queryOptions({
    queryKey: ['plan', ...key],
    queryFn: async () => {
      const { body } = await call({ dry_run: true })
      return (body as { plan: Plan }).plan
    },
    // While the work runs it has no plan. The next dialog requests it again.
    ...ONCE,
  })
