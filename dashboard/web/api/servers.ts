import { queryOptions } from '@tanstack/react-query'
import type { BulkOperationView } from '#shared/api/bulk-operations.ts'
import type { CreateServer } from '#shared/api/servers.ts'
import type { ServerBulkType } from '#shared/operation-types/index.ts'
import { SITE_STATUSES } from '#shared/values.ts'
import { beginOperation } from './begin.ts'
import { call, type Sent } from './client.ts'

type Provision = Sent<'POST /api/servers/:server_id/provision'>['body']
type Updates = Sent<'POST /api/servers/:server_id/update'>['body']

/** Everything known of one server. */
export const serverQuery = (server_id: number) =>
  queryOptions({
    queryKey: ['servers', server_id],
    queryFn: async () =>
      (await call('GET /api/fleet/servers/:server_id', { params: { server_id } })).server,
    refetchInterval: ({ state: { data } }) => (data?.status === 'pending' ? 2_000 : 10_000),
  })

/** Starts a bulk operation on servers. */
export async function beginOnServers(
  server_ids: readonly number[],
  type: ServerBulkType,
  params: object = {},
): Promise<BulkOperationView> {
  const body = { type, params, targets: { server_ids } }
  const answer = await call('POST /api/bulk-operations', { body })
  if (!('bulk_operation' in answer)) throw new Error('The bulk operation did not start')
  return answer.bulk_operation
}

/** The id of the new server. */
export async function createServer(body: CreateServer): Promise<number> {
  return (await call('POST /api/servers', { body })).server.id
}

export const changeServer = (server_id: number, body: CreateServer) =>
  call('PATCH /api/servers/:server_id', { params: { server_id }, body })

export const removeServer = (server_id: number) =>
  call('DELETE /api/servers/:server_id', { params: { server_id } })

/** The plan of provisioning. */
export async function planProvision(server_id: number, php_versions: readonly string[]) {
  const body = { php_versions: [...php_versions], dry_run: true }
  const sent = { params: { server_id }, body }
  return (await call('POST /api/servers/:server_id/provision', sent)).plan
}

/** The plan of an update. */
export async function planUpdates(server_id: number, input: Updates) {
  const sent = { params: { server_id }, body: { ...input, dry_run: true } }
  return (await call('POST /api/servers/:server_id/update', sent)).plan
}

/** Returns the id of the operation, as the following calls do. */
export const syncServer = (server_id: number) =>
  beginOperation('POST /api/servers/:server_id/sync', { params: { server_id } })

export const provisionServer = (server_id: number, body: Provision) =>
  beginOperation('POST /api/servers/:server_id/provision', { params: { server_id }, body })

export const installUpdates = (server_id: number, body: Updates) =>
  beginOperation('POST /api/servers/:server_id/update', { params: { server_id }, body })

export const upgradeAgent = (server_id: number) =>
  beginOperation('POST /api/servers/:server_id/upgrade', { params: { server_id } })

export const checkIsolation = (server_id: number) =>
  beginOperation('POST /api/servers/:server_id/isolation-check', { params: { server_id } })

/** Waits for the outcome. */
export const restartService = (server_id: number, service: string) =>
  call('POST /api/servers/:server_id/services/restart', {
    params: { server_id },
    body: { service },
  })

/** The result of the last isolation check of a server. */
export const isolationQuery = (server_id: number) =>
  queryOptions({
    queryKey: ['servers', server_id, 'isolation'],
    queryFn: async () =>
      (await call('GET /api/servers/:server_id/isolation-check', { params: { server_id } }))
        .isolation_check,
    refetchInterval: 10_000,
  })

/** The updates of a server, as its agent reported them last. */
export const maintenanceQuery = (server_id: number) =>
  queryOptions({
    queryKey: ['servers', server_id, 'maintenance'],
    queryFn: () => call('GET /api/servers/:server_id/maintenance', { params: { server_id } }),
    refetchInterval: 10_000,
  })

/** The web servers of a server, and its sites without a domain. */
export const webQuery = (server_id: number) =>
  queryOptions({
    queryKey: ['servers', server_id, 'web'],
    queryFn: async () =>
      (await call('GET /api/servers/:server_id/web', { params: { server_id } })).web,
    refetchInterval: 60_000,
  })

/** What prevents new sites on a server, from its agent. */
export const conditionsQuery = (server_id: number) =>
  queryOptions({
    queryKey: ['servers', server_id, 'conditions'],
    queryFn: async () =>
      (await call('GET /api/servers/:server_id/conditions', { params: { server_id } })).conditions,
    refetchInterval: 60_000,
  })

const SOME = 8

/** Some of the sites of a server, those with problems first. */
export const sitesOfQuery = (server_id: number) =>
  queryOptions({
    queryKey: ['servers', server_id, 'sites'],
    queryFn: () => {
      const status = SITE_STATUSES.filter((value) => value !== 'trashed').join()
      const order = { sort: 'status', order: 'desc' } as const
      const query = { server_id: String(server_id), status, ...order, per_page: SOME }
      return call('GET /api/fleet/sites', { query })
    },
  })
