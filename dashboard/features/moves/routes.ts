import {
  type StreamDeps,
  streamed,
  streamOperation,
} from '#dashboard/kernel/engine/operation-answers.ts'
import { startOperation, startOrPlan } from '#dashboard/kernel/engine/start-operation.ts'
import { routesWith } from '#dashboard/kernel/http/route.ts'
import { loadManagedSite } from '#dashboard/kernel/targets/load-site.ts'
import { findMove } from '#dashboard/kernel/targets/moves.queries.ts'
import { ConfirmMove, MoveSite, MoveSiteBack, ShownMove } from '#shared/moves/api/moves.ts'
import { checkMove } from './params.ts'
import { planOfMove } from './plan-move.ts'
import { showMove } from './show-move.ts'

const route = routesWith<StreamDeps>()

export const moveRoutes = {
  moveSite: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/move',
    summary: 'Move a site to another server',
    details:
      'Copies the site while it serves visitors, freezes it for some seconds, copies the changes, and makes its server forward all requests to the new one. The move can be undone until it is confirmed.',
    loads: loadManagedSite,
    body: MoveSite,
    also: ({ server_id }) => ({ server_id }),
    ...streamed('site.move'),
    run: async (call) => {
      const { deps, loaded, body } = call
      const { dry_run, ...input } = body
      if (!dry_run)
        return streamOperation(call, await startOperation(deps, 'site.move', loaded, input))
      const { other, changes } = await checkMove(deps, loaded, input.server_id)
      return { plan: planOfMove(loaded.site.domain, loaded.server, { other, changes }) }
    },
  }),
  moveSiteBack: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/move-back',
    summary: 'Move a site back to the server that it came from',
    details:
      'Copies the changes since the move in the same way; with `discard_changes` the site returns to its state before the move. It needs the right on the server to which the site returns, too.',
    loads: loadManagedSite,
    body: MoveSiteBack,
    ...streamed('site.move-back'),
    run: async (call) => {
      const { deps, loaded, body } = call
      const move = await findMove(deps.db, loaded.site.id)
      if (move) await call.requireRight(undefined, { server_id: move.other_id })
      const started = await startOrPlan(deps, 'site.move-back', loaded, body)
      return 'plan' in started ? started : streamOperation(call, started)
    },
  }),
  confirmMove: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/move-confirm',
    summary: 'Confirm the move of a site',
    details:
      'The former server stops forwarding, and its copy moves to the trash. DNS must point visitors to the new server.',
    loads: loadManagedSite,
    body: ConfirmMove,
    ...streamed('site.move-confirm'),
  }),
  showMove: route({
    at: 'GET /api/servers/:server_id/sites/:site_id/move',
    summary: 'Show the move of a site that is not confirmed',
    right: 'read',
    loads: loadManagedSite,
    answers: { 200: { about: 'The move, and where DNS points.', json: ShownMove } },
    errors: ['conflict'],
    run: ({ deps, loaded }) => showMove(deps, loaded),
  }),
}
