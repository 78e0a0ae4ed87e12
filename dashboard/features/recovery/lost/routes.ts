import { ASKS_AGENT } from '#dashboard/kernel/http/answers.ts'
import { Reply } from '#dashboard/kernel/http/reply.ts'
import { routesWith } from '#dashboard/kernel/http/route.ts'
import { loadServer } from '#dashboard/kernel/targets/load-site.ts'
import { OPERATION_TYPES } from '#shared/operation-types.ts'
import {
  LostServerView,
  RecoverSites,
  RecoveryPlans,
  RecoveryStarted,
} from '#shared/recovery/api/lost-servers.ts'
import { endServerLoss, type RecoverDeps, recoverSites } from './recover-sites.ts'
import { showLost } from './show-lost.ts'

const route = routesWith<RecoverDeps>()

/** Servers that do not come back, and the restore of their sites on others. */
export const lostServerRoutes = {
  getLostServer: route({
    at: 'GET /api/servers/:server_id/lost',
    summary: 'Show what can be restored of a server that does not answer',
    details:
      'Each of its sites with its newest backup, the servers that can take them, and the DNS records that the restored sites still need.',
    right: 'read',
    loads: loadServer,
    answers: { 200: { about: 'The sites of the server.', json: LostServerView } },
    run: ({ deps, loaded }) => showLost(deps.db, loaded),
  }),
  recoverSites: route({
    at: 'POST /api/servers/:server_id/lost',
    summary: 'Declare a server lost, and restore its sites on other servers',
    details:
      'For a server that does not come back. Each site keeps its record with its names, settings, backups and history, and belongs to its new server as soon as its restore starts. Operations of the lost server fail at once. The restores are one bulk operation, of which each site is an operation of its own; the call can be repeated for other sites, and for those that failed. 409 while the server answers.',
    right: OPERATION_TYPES['site.recover'].right,
    where: 'fleet',
    needs_confirmation: true,
    loads: loadServer,
    body: RecoverSites,
    answers: {
      200: { about: 'With `dry_run`: the plan of each site.', json: RecoveryPlans },
      202: { about: 'Declared lost; the sites are being restored.', json: RecoveryStarted },
    },
    errors: ASKS_AGENT,
    run: async ({ deps, loaded, body, caller }) => {
      const answer = await recoverSites(deps, loaded, body, caller.user.id)
      return 'plans' in answer ? answer : new Reply(202, answer)
    },
  }),
  endServerLoss: route({
    at: 'DELETE /api/servers/:server_id/lost',
    summary: 'Use a server again that was declared lost',
    details:
      'The restored sites stay on their new servers. Copies of them on this server are no longer suspended automatically: delete them first.',
    right: 'admin',
    loads: loadServer,
    answers: { 204: { about: 'It is a server like any other.' } },
    errors: ['conflict'],
    run: ({ deps, loaded, caller }) => endServerLoss(deps, loaded, caller.user.id),
  }),
}
