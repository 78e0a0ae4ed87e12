import { Elysia } from 'elysia'
import { callerOf } from '#dashboard/auth/caller.ts'
import { getServer } from '#dashboard/db/targets.ts'
import type { Deps } from '#dashboard/deps.ts'
import { onlyDryRun, readJson } from '#dashboard/http/body.ts'
import { idIn } from '#dashboard/http/path.ts'
import { doneOrPlan, streamOrPlan } from '#dashboard/operations/answer.ts'
import { start, startOrPlan } from '#dashboard/operations/start.ts'
import { streamJob } from '#dashboard/operations/stream.ts'
import { serverTarget } from '#dashboard/targets/load-site.ts'
import { InstallUpdates } from '#shared/api/maintenance.ts'
import { ProvisionServer, RestartService } from '#shared/api/servers.ts'
import { parse } from '#shared/parse.ts'
import { showConditions } from './conditions.ts'
import { createServer } from './create-server.ts'
import { getIsolationCheck } from './isolation/queries.ts'
import { getMaintenance } from './maintenance/queries.ts'
import { getServerDetail, listServers } from './queries.ts'
import { removeServer } from './remove-server.ts'
import { changeServer } from './update-server.ts'
import { getServerWeb } from './web.queries.ts'

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
    .post('/:server_id/sync', async ({ request, params, server: listener }) => {
      const target = await serverTarget(deps, request, params)
      return streamJob(deps, await start(deps, 'server.sync', target, {}), {
        request,
        server: listener,
      })
    })
    .post('/:server_id/provision', async ({ request, params, server: listener }) => {
      const input = await readJson(request)
      const target = await serverTarget(deps, request, params)
      const wanted = parse(ProvisionServer, input)
      const started = await startOrPlan(deps, 'server.provision', target, wanted)
      return streamOrPlan(deps, started, { request, server: listener })
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
    .post('/:server_id/isolation-check', async ({ request, params, server: listener }) => {
      const input = await onlyDryRun(request)
      const target = await serverTarget(deps, request, params)
      return streamOrPlan(deps, await startOrPlan(deps, 'isolation.check', target, input), {
        request,
        server: listener,
      })
    })
    .get('/:server_id/maintenance', async ({ params }) => {
      const { id } = await find(deps, params.server_id)
      return getMaintenance(deps.db, id)
    })
    .post('/:server_id/update', async ({ request, params, server: listener }) => {
      const input = await readJson(request)
      const target = await serverTarget(deps, request, params)
      const wanted = parse(InstallUpdates, input)
      return streamOrPlan(deps, await startOrPlan(deps, 'server.update', target, wanted), {
        request,
        server: listener,
      })
    })
    .post('/:server_id/upgrade', async ({ request, params, server: listener }) => {
      const input = await onlyDryRun(request)
      const target = await serverTarget(deps, request, params)
      return streamOrPlan(deps, await startOrPlan(deps, 'agent.upgrade', target, input), {
        request,
        server: listener,
      })
    })
    .post('/:server_id/services/restart', async ({ request, params, server }) => {
      const input = await readJson(request)
      const target = await serverTarget(deps, request, params)
      server?.timeout(request, 0)
      const wanted = parse(RestartService, input)
      const started = await startOrPlan(deps, 'service.restart', target, wanted)
      return doneOrPlan(deps, started, `Restarted ${wanted.service}`)
    })
}

function find({ db }: Deps, server_id: string) {
  return getServer(db, idIn(server_id, 'Server'))
}
