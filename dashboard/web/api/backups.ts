import { queryOptions } from '@tanstack/react-query'
import { call, type Sent, startOperation } from './client.ts'
import type { SitePlace } from './sites.ts'

/** The beginning of the key of every query here: one check or backup changes several of them. */
export const BACKUPS = ['backups'] as const

export const kitQuery = queryOptions({
  queryKey: [...BACKUPS, 'kit'],
  queryFn: async () => (await call('GET /api/backup-kit')).kit,
})

/** The private key stays in the browser. */
export const createKit = (public_key: string) =>
  call('POST /api/backup-kit', { body: { public_key } })

export const confirmKit = (answer: string) =>
  call('POST /api/backup-kit/confirm', { body: { answer } })

export const targetsQuery = queryOptions({
  queryKey: [...BACKUPS, 'targets'],
  queryFn: async () => (await call('GET /api/backup-targets')).targets,
})

export type NewTarget = Sent<'POST /api/backup-targets'>['body']
type TargetChange = Sent<'PATCH /api/backup-targets/:target_id'>['body']

export const addTarget = (body: NewTarget) => call('POST /api/backup-targets', { body })

export const changeTarget = (target_id: number, body: TargetChange) =>
  call('PATCH /api/backup-targets/:target_id', { params: { target_id }, body })

export const removeTarget = (target_id: number) =>
  call('DELETE /api/backup-targets/:target_id', { params: { target_id } })

/** Returns the id of the operation. */
export const checkTarget = (target_id: number, server_id: number): Promise<string> =>
  startOperation('POST /api/servers/:server_id/backup-check', {
    params: { server_id },
    body: { target_id },
  })

export const siteBackupsQuery = ({ id, server_id }: SitePlace) =>
  queryOptions({
    queryKey: [...BACKUPS, 'site', id],
    queryFn: () =>
      call('GET /api/servers/:server_id/sites/:site_id/backups', {
        params: { server_id, site_id: id },
      }),
  })
