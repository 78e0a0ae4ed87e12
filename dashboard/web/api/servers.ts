import { queryOptions } from '@tanstack/react-query'
import type { BulkOperationView } from '#shared/api/bulk-operations.ts'
import type { CreateServer } from '#shared/api/servers.ts'
import type { ServerBulkType } from '#shared/operation-types/index.ts'
import type { Plan } from '#shared/plan.ts'
import { SITE_STATUSES } from '#shared/values.ts'
import { begin } from './begin.ts'
import { api, done, take } from './client.ts'

interface PlanBody {
  plan: Plan
}

/** Everything known of one server. */
export const serverQuery = (server_id: number) =>
  queryOptions({
    queryKey: ['servers', server_id],
    queryFn: async () => (await take(api.fleet.servers({ server_id }).get())).server,
    refetchInterval: ({ state: { data } }) => (data?.status === 'pending' ? 2_000 : 10_000),
  })

/** Begins the same on several servers. */
export async function beginOnServers(
  server_ids: readonly number[],
  type: ServerBulkType,
  params: object = {},
): Promise<BulkOperationView> {
  const asked = api['bulk-operations'].post({ type, params, targets: { server_ids } })
  const answer = await take(asked)
  if (!('bulk_operation' in answer)) throw new Error('Nothing was begun')
  return answer.bulk_operation
}

/** The id of the new server. */
export async function createServer(input: CreateServer): Promise<number> {
  return (await take(api.servers.post(input))).server.id
}

export const changeServer = (server_id: number, input: CreateServer) =>
  take(api.servers({ server_id }).patch(input))

export const removeServer = (server_id: number) => done(api.servers({ server_id }).delete())

/** What this would do there now. */
export async function planProvision(
  server_id: number,
  php_versions: readonly string[],
): Promise<Plan> {
  const path = `/api/servers/${server_id}/provision`
  const { body } = await begin('POST', path, { php_versions, dry_run: true })
  return (body as PlanBody).plan
}

/** What apt would do there now. */
export async function planUpdates(server_id: number, input: object) {
  const path = `/api/servers/${server_id}/update`
  const { body } = await begin('POST', path, { ...input, dry_run: true })
  return (body as PlanBody).plan
}

/** The id of the operation that does it. */
export async function beginOn(
  server_id: number,
  what: 'sync' | 'provision' | 'upgrade' | 'isolation-check' | 'update',
  input: object = {},
): Promise<string> {
  const { operation_id } = await begin('POST', `/api/servers/${server_id}/${what}`, input)
  if (operation_id === undefined) throw new Error('The dashboard did not name the operation')
  return operation_id
}

/** Waits for the outcome. */
export const restartService = (server_id: number, service: string) =>
  take(api.servers({ server_id }).services.restart.post({ service }))

/** What the last isolation check of a server found. */
export const isolationQuery = (server_id: number) =>
  queryOptions({
    queryKey: ['servers', server_id, 'isolation'],
    queryFn: async () =>
      (await take(api.servers({ server_id })['isolation-check'].get())).isolation_check,
    refetchInterval: 10_000,
  })

/** The updates of a server, as its agent reported them last. */
export const maintenanceQuery = (server_id: number) =>
  queryOptions({
    queryKey: ['servers', server_id, 'maintenance'],
    queryFn: async () => take(api.servers({ server_id }).maintenance.get()),
    refetchInterval: 10_000,
  })

/** What answers visitors of a server, and its sites without a domain. */
export const webQuery = (server_id: number) =>
  queryOptions({
    queryKey: ['servers', server_id, 'web'],
    queryFn: async () => (await take(api.servers({ server_id }).web.get())).web,
    refetchInterval: 60_000,
  })

/** What stands in the way of new sites there; the server is asked. */
export const conditionsQuery = (server_id: number) =>
  queryOptions({
    queryKey: ['servers', server_id, 'conditions'],
    queryFn: async () => (await take(api.servers({ server_id }).conditions.get())).conditions,
    refetchInterval: 60_000,
  })

const SOME = 8

/** Some of the sites of a server, those in trouble first. */
export const sitesOfQuery = (server_id: number) =>
  queryOptions({
    queryKey: ['servers', server_id, 'sites'],
    queryFn: () => {
      const status = SITE_STATUSES.filter((value) => value !== 'trashed').join()
      const order = { sort: 'status', order: 'desc' } as const
      const query = { server_id: String(server_id), status, ...order, per_page: SOME }
      return take(api.fleet.sites.get({ query }))
    },
  })
