import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { SITE_STATUSES } from '#shared/kernel/values.ts'
import type { CreateServer } from '#shared/servers/api/servers.ts'
import { call, type Sent, startOperation } from './client.ts'
import { withConfirmation } from './password-confirmation.ts'

type Provision = Sent<'POST /api/servers/:server_id/provision'>['body']
type Updates = Sent<'POST /api/servers/:server_id/update'>['body']

const at = (server_id: number) => ({ params: { server_id } })

/** Everything known of one server. */
export const serverQuery = (server_id: number) =>
  queryOptions({
    queryKey: ['servers', server_id],
    queryFn: async () => (await call('GET /api/fleet/servers/:server_id', at(server_id))).server,
    refetchInterval: ({ state: { data } }) => (data?.status === 'pending' ? 2_000 : 10_000),
  })

/** The id of the new server. */
export const createServer = async (body: CreateServer) =>
  (await call('POST /api/servers', { body })).server.id

export const changeServer = (server_id: number, body: CreateServer) =>
  call('PATCH /api/servers/:server_id', { ...at(server_id), body })

export const removeServer = (server_id: number) =>
  withConfirmation(() => call('DELETE /api/servers/:server_id', at(server_id)))

/** The plan of provisioning. */
export async function planProvision(server_id: number, body: Provision) {
  const sent = { ...at(server_id), body: { ...body, dry_run: true } }
  return (await call('POST /api/servers/:server_id/provision', sent)).plan
}

/** The plan of an update. */
export async function planUpdates(server_id: number, input: Updates) {
  const sent = { ...at(server_id), body: { ...input, dry_run: true } }
  return (await call('POST /api/servers/:server_id/update', sent)).plan
}

/** Returns the id of the operation, as the following calls do. */
export const syncServer = (server_id: number) =>
  startOperation('POST /api/servers/:server_id/sync', at(server_id))

export const provisionServer = (server_id: number, body: Provision) =>
  startOperation('POST /api/servers/:server_id/provision', { ...at(server_id), body })

export const installUpdates = (server_id: number, body: Updates) =>
  startOperation('POST /api/servers/:server_id/update', { ...at(server_id), body })

export const upgradeAgent = (server_id: number) =>
  startOperation('POST /api/servers/:server_id/upgrade', at(server_id))

export const checkIsolation = (server_id: number) =>
  startOperation('POST /api/servers/:server_id/isolation-check', at(server_id))

/** Waits for the outcome. */
export const restartService = (server_id: number, service: string) =>
  call('POST /api/servers/:server_id/services/restart', { ...at(server_id), body: { service } })

/** The result of the last isolation check of a server. */
export const isolationQuery = (server_id: number) =>
  queryOptions({
    queryKey: ['servers', server_id, 'isolation'],
    queryFn: async () =>
      (await call('GET /api/servers/:server_id/isolation-check', at(server_id))).isolation_check,
    refetchInterval: 10_000,
  })

/** The updates of a server, as its agent reported them last. */
export const maintenanceQuery = (server_id: number) =>
  queryOptions({
    queryKey: ['servers', server_id, 'maintenance'],
    queryFn: () => call('GET /api/servers/:server_id/maintenance', at(server_id)),
    refetchInterval: 10_000,
  })

/** The web servers of a server, and its sites without a domain. */
export const webQuery = (server_id: number) =>
  queryOptions({
    queryKey: ['servers', server_id, 'web'],
    queryFn: async () => (await call('GET /api/servers/:server_id/web', at(server_id))).web,
    refetchInterval: 60_000,
  })

/** The PHP versions of a server and their extensions, from its agent. */
export const extensionsQuery = (server_id: number) =>
  queryOptions({
    queryKey: ['servers', server_id, 'php'],
    queryFn: async () => (await call('GET /api/servers/:server_id/php', at(server_id))).php,
    refetchInterval: 60_000,
  })

/** What prevents new sites on a server, from its agent. */
export const conditionsQuery = (server_id: number) =>
  queryOptions({
    queryKey: ['servers', server_id, 'conditions'],
    queryFn: async () =>
      (await call('GET /api/servers/:server_id/conditions', at(server_id))).conditions,
    refetchInterval: 60_000,
  })

/** The metrics of a server over the last hours. */
export const metricsQuery = (server_id: number, hours: number) =>
  queryOptions({
    queryKey: ['servers', server_id, 'metrics', hours],
    queryFn: async () => {
      const [to, from] = [Date.now(), Date.now() - hours * 3600_000]
      const query = { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
      return (await call('GET /api/servers/:server_id/metrics', { ...at(server_id), query }))
        .metrics
    },
    refetchInterval: 60_000,
    placeholderData: keepPreviousData,
  })

const MAX_SITES = 8

/** Some of the sites of a server, those with problems first. */
export const sitesOfQuery = (server_id: number) =>
  queryOptions({
    queryKey: ['servers', server_id, 'sites'],
    queryFn: () => {
      const status = SITE_STATUSES.filter((value) => value !== 'trashed').join()
      const query = { server_id, status, sort: 'status', order: 'desc', per_page: MAX_SITES }
      return call('GET /api/fleet/sites', { query })
    },
  })
