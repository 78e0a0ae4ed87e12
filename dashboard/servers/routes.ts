import { Elysia } from 'elysia'
import { callerOf } from '#dashboard/auth/caller.ts'
import type { Deps } from '#dashboard/deps.ts'
import { onlyDryRun, readJson } from '#dashboard/http/body.ts'
import { idIn } from '#dashboard/http/path.ts'
import { beginOrJoin } from '#dashboard/operations/begin.ts'
import { streamJob } from '#dashboard/operations/stream.ts'
import { showConditions } from './conditions.ts'
import { createServer } from './create-server.ts'
import { checkIsolation } from './isolation/check-isolation.ts'
import { getIsolationCheck } from './isolation/queries.ts'
import { installUpdates } from './maintenance/install-updates.ts'
import { getMaintenance } from './maintenance/queries.ts'
import { provisionServer } from './provision-server.ts'
import { getServer, getServerDetail, listServers } from './queries.ts'
import { removeServer } from './remove-server.ts'
import { restartService } from './restart-service.ts'
import { changeServer } from './update-server.ts'
import { upgradeAgent } from './upgrade-agent.ts'
import { getServerWeb } from './web/queries.ts'

export function serverRoutes(deps: Deps) {
  return new Elysia({ prefix: '/servers' })
    .get('', async () => ({ servers: await listServers(deps.db) }))
    .post('', async ({ request, status }) => {
      const input = await readJson(request)
      const server = await createServer(deps, input, callerOf(request).user.id)
      return status(201, { server })
    })
    .get('/:server_id', async ({ params }) => ({
      server: await getServerDetail(deps.db, idIn(params.server_id, 'Server')),
    }))
    .patch('/:server_id', async ({ request, params }) => {
      const input = await readJson(request)
      const server = await find(deps, params.server_id)
      return { server: await changeServer(deps, server, input, callerOf(request).user.id) }
    })
    .delete('/:server_id', async ({ request, params, set }) => {
      await removeServer(deps, idIn(params.server_id, 'Server'), callerOf(request).user.id)
      set.status = 204
    })
    .post('/:server_id/sync', async ({ request, params, server }) => {
      const target = await find(deps, params.server_id)
      const actor = callerOf(request).user.id
      const wanted = { type: 'server.sync', server: target, params: {}, actor } as const
      const job = await beginOrJoin(deps, { ...wanted, patient: false })
      return streamJob(deps, job, { request, server })
    })
    .post('/:server_id/provision', async ({ request, params, server }) => {
      const input = await readJson(request)
      const target = await find(deps, params.server_id)
      const job = await provisionServer(deps, target, input, callerOf(request).user.id)
      return 'plan' in job ? job : streamJob(deps, job, { request, server })
    })
    .get('/:server_id/conditions', async ({ params }) =>
      showConditions(deps, await find(deps, params.server_id)),
    )
    .get('/:server_id/web', async ({ params }) => {
      const { id } = await find(deps, params.server_id)
      return getServerWeb(deps.db, id)
    })
    .get('/:server_id/isolation-check', async ({ params }) => {
      const { id } = await find(deps, params.server_id)
      return { isolation_check: await getIsolationCheck(deps.db, id) }
    })
    .post('/:server_id/isolation-check', async ({ request, params, server }) => {
      const { dry_run } = await onlyDryRun(request)
      const target = await find(deps, params.server_id)
      const actor = callerOf(request).user.id
      const job = await checkIsolation(deps, target, { actor, dry_run })
      return 'plan' in job ? job : streamJob(deps, job, { request, server })
    })
    .get('/:server_id/maintenance', async ({ params }) => {
      const { id } = await find(deps, params.server_id)
      return getMaintenance(deps.db, id)
    })
    .post('/:server_id/update', async ({ request, params, server }) => {
      const input = await readJson(request)
      const target = await find(deps, params.server_id)
      const job = await installUpdates(deps, target, input, callerOf(request).user.id)
      return 'plan' in job ? job : streamJob(deps, job, { request, server })
    })
    .post('/:server_id/upgrade', async ({ request, params, server }) => {
      const { dry_run } = await onlyDryRun(request)
      const target = await find(deps, params.server_id)
      const origin = deps.public_url ?? new URL(request.url).origin
      const actor = callerOf(request).user.id
      const job = await upgradeAgent(deps, target, { origin, actor, dry_run })
      return 'plan' in job ? job : streamJob(deps, job, { request, server })
    })
    .post('/:server_id/services/restart', async ({ request, params, server }) => {
      const input = await readJson(request)
      const target = await find(deps, params.server_id)
      server?.timeout(request, 0)
      return restartService(deps, target, input, callerOf(request).user.id)
    })
}

function find({ db }: Deps, server_id: string) {
  return getServer(db, idIn(server_id, 'Server'))
}
