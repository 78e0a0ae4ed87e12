import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call, type QueryOf, type Sent, startOperation } from './client.ts'
import { withConfirmation } from './password-confirmation.ts'
import { callSite, type SiteBody, type SitePlace } from './site-call.ts'

/** The beginning of the key of every query here: one check or backup changes several of them. */
export const BACKUPS = ['backups'] as const

export const kitsQuery = queryOptions({
  queryKey: [...BACKUPS, 'kit'],
  queryFn: () => call('GET /api/backup-kit'),
})

/** The private key stays in the browser. */
export const createKit = (public_key: string) =>
  withConfirmation(() => call('POST /api/backup-kit', { body: { public_key } }))

export const confirmKit = (answer: string) =>
  withConfirmation(() => call('POST /api/backup-kit/confirm', { body: { answer } }))

export const targetsQuery = queryOptions({
  queryKey: [...BACKUPS, 'targets'],
  queryFn: async () => (await call('GET /api/backup-targets')).targets,
})

export type NewTarget = Sent<'POST /api/backup-targets'>['body']
type TargetChange = Sent<'PATCH /api/backup-targets/:target_id'>['body']

export const addTarget = (body: NewTarget) =>
  withConfirmation(() => call('POST /api/backup-targets', { body }))

export const changeTarget = (target_id: number, body: TargetChange) =>
  withConfirmation(() =>
    call('PATCH /api/backup-targets/:target_id', { params: { target_id }, body }),
  )

export const removeTarget = (target_id: number) =>
  withConfirmation(() => call('DELETE /api/backup-targets/:target_id', { params: { target_id } }))

/** Returns the id of the operation. */
export const checkTarget = (target_id: number, server_id: number): Promise<string> =>
  startOperation('POST /api/servers/:server_id/backup-check', {
    params: { server_id },
    body: { target_id },
  })

type Search = Sent<'POST /api/servers/:server_id/backup-search'>['body']
type Adoption = Sent<'POST /api/servers/:server_id/backup-adopt'>['body']

/** One page of the repositories in a target, read by a server. */
export const findBackups = (server_id: number, body: Search) =>
  call('POST /api/servers/:server_id/backup-search', { params: { server_id }, body })

/** Records the backups of one repository. */
export const adoptBackups = (server_id: number, body: Adoption) =>
  call('POST /api/servers/:server_id/backup-adopt', { params: { server_id }, body })

export const rulesQuery = queryOptions({
  queryKey: [...BACKUPS, 'rules'],
  queryFn: () => call('GET /api/backup-rules'),
})

/** Replaces all of them, in the version that was read. */
export const changeRules = (body: Sent<'PUT /api/backup-rules'>['body']) =>
  call('PUT /api/backup-rules', { body })

export const changeBackupSettings = (site: SitePlace, body: SiteBody<'PUT backups/settings'>) =>
  callSite(site, 'PUT backups/settings', { body })

/** Which sites have backups: one page of those that match. */
export const coverageQuery = (query: QueryOf<'GET /api/fleet/backups'>) =>
  queryOptions({
    queryKey: [...BACKUPS, 'coverage', query],
    queryFn: () => call('GET /api/fleet/backups', { query }),
    placeholderData: keepPreviousData,
  })

export const siteBackupsQuery = (site: SitePlace) =>
  queryOptions({
    queryKey: [...BACKUPS, 'site', site.id],
    queryFn: () => callSite(site, 'GET backups'),
  })

/** Compares the list of backups with what is stored. */
/** Ends the request of a client for a restore. */
export const dismissRestoreRequest = (site: SitePlace) => callSite(site, 'DELETE backups/request')

export const refreshBackups = (site: SitePlace) => callSite(site, 'POST backups/refresh')

/** The same for a site that is deleted: any server that reaches the storage reads it. */
export const refreshGoneBackups = (server_id: number, domain: string) =>
  call('POST /api/servers/:server_id/backup-refresh', { params: { server_id }, body: { domain } })

/** All backups of a site that is deleted. */
export const goneBackupsQuery = (domain: string) =>
  queryOptions({
    queryKey: [...BACKUPS, 'gone', domain],
    queryFn: async () => (await call('GET /api/fleet/backups/gone', { query: { domain } })).backups,
  })

/** A folder of a backup, which never changes. */
export const browseQuery = (site: SitePlace, backup_id: number, path: string) =>
  queryOptions({
    queryKey: ['backup-files', backup_id, path],
    queryFn: () =>
      callSite(site, 'GET backups/:backup_id/files', { params: { backup_id }, query: { path } }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })

/** Where the browser gets a part of a backup as a file. */
export function downloadAddress(
  { id, server_id }: SitePlace,
  backup_id: number,
  part: 'files' | 'database',
  path = '',
): string {
  const query = new URLSearchParams({ part, path })
  return `/api/servers/${server_id}/sites/${id}/backups/${backup_id}/download?${query}`
}

const AGAIN_MS = 2000

/** Read again until a requested backup has ended. */
export const dashboardBackupQuery = queryOptions({
  queryKey: [...BACKUPS, 'dashboard'],
  queryFn: async () => (await call('GET /api/fleet/dashboard-backup')).backup,
  refetchInterval: ({ state }) => (state.data?.requested_at ? AGAIN_MS : false),
})

export const backUpDashboard = () => call('POST /api/fleet/dashboard-backup')

export const checkDashboardTarget = () => call('POST /api/fleet/dashboard-backup/check')

type OwnTarget = Sent<'PUT /api/fleet/dashboard-backup/target'>['body']

export const setDashboardTarget = (body: OwnTarget) =>
  withConfirmation(() => call('PUT /api/fleet/dashboard-backup/target', { body }))

export const removeDashboardTarget = () =>
  withConfirmation(() => call('DELETE /api/fleet/dashboard-backup/target'))
