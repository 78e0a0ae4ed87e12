import { z } from 'zod'
import { getIsolationCheck } from '#dashboard/features/servers/isolation/queries.ts'
import { getMaintenance } from '#dashboard/features/servers/maintenance/queries.ts'
import type { StreamDeps } from '#dashboard/kernel/engine/operation-answers.ts'
import { creates, shows } from '#dashboard/kernel/http/answers.ts'
import { idIn } from '#dashboard/kernel/http/path.ts'
import { routesWith, WITH_READINGS_MS } from '#dashboard/kernel/http/route.ts'
import { loadServer } from '#dashboard/kernel/targets/load-site.ts'
import { IsolationCheckView } from '#shared/isolation/api/isolation.ts'
import {
  ConditionsView,
  CreateServer,
  ServerCreated,
  ServerDetail,
  ServerExtensions,
  ServerListed,
  ServerUpdated,
  UpdateServer,
} from '#shared/servers/api/servers.ts'
import { conditionsReading, phpReading } from '#shared/servers/readings.ts'
import { ServerWebView } from '#shared/sites/api/web.ts'
import { MaintenanceView } from '#shared/updates/api/maintenance.ts'
import { type ChangeDeps, changeServer, createServer, removeServer } from './change-servers.ts'
import { getServerDetail, listServers } from './queries.ts'
import { getServerWeb } from './web.queries.ts'

const route = routesWith<StreamDeps & ChangeDeps>()

export const serverRoutes = {
  listServers: route({
    at: 'GET /api/servers',
    ignores_unknown: true,
    summary: 'List the servers',
    right: 'read',
    where: 'anywhere',
    cached_ms: WITH_READINGS_MS,
    answers: shows('All of them.', { servers: z.array(ServerListed) }),
    run: async ({ deps, visible }) => ({ servers: await listServers(deps.db, visible) }),
  }),
  createServer: route({
    at: 'POST /api/servers',
    ignores_unknown: true,
    summary: 'Register a server',
    details:
      'Answers immediately; the server is pending until its agent is enrolled and has answered. 409 for tags that would break a rule of the access policy.',
    right: 'admin',
    body: CreateServer,
    answers: creates('Registered.', { server: ServerCreated }),
    errors: ['conflict'],
    run: async ({ deps, body, caller }) => ({
      server: await createServer(deps, body, caller.user.id),
    }),
  }),
  getServer: route({
    at: 'GET /api/servers/:server_id',
    ignores_unknown: true,
    summary: 'Show a server',
    right: 'read',
    answers: shows('The server.', { server: ServerDetail }),
    run: async ({ deps, params }) => ({
      server: await getServerDetail(deps.db, idIn(params.server_id, 'Server')),
    }),
  }),
  updateServer: route({
    at: 'PATCH /api/servers/:server_id',
    ignores_unknown: true,
    summary: 'Change a server',
    details: '409 for tags that would break a rule of the access policy.',
    right: 'admin',
    loads: loadServer,
    body: UpdateServer,
    answers: shows('Its current state.', { server: ServerUpdated }),
    errors: ['conflict'],
    run: async ({ deps, loaded, body, caller }) => ({
      server: await changeServer(deps, loaded, body, caller.user.id),
    }),
  }),
  removeServer: route({
    at: 'DELETE /api/servers/:server_id',
    summary: 'Remove a server and its sites from the dashboard',
    details: 'The machine itself is not touched. 409 while an operation is running there.',
    right: 'admin',
    needs_confirmation: true,
    loads: loadServer,
    answers: { 204: { about: 'Removed.' } },
    errors: ['conflict'],
    run: ({ deps, loaded, caller }) => removeServer(deps, loaded, caller.user.id),
  }),
  getIsolationCheck: route({
    at: 'GET /api/servers/:server_id/isolation-check',
    summary: 'Show the last isolation check of a server',
    right: 'read',
    loads: loadServer,
    answers: shows('The last check; nulls before the first.', {
      isolation_check: IsolationCheckView,
    }),
    run: async ({ deps, loaded }) => ({
      isolation_check: await getIsolationCheck(deps.db, loaded.id),
    }),
  }),
  getConditions: route({
    at: 'GET /api/servers/:server_id/conditions',
    summary: 'Show the obstacles to new sites on a server',
    right: 'read',
    loads: loadServer,
    answers: { 200: { about: 'As its agent reports it now.', json: ConditionsView } },
    // An offline agent, and one of another protocol, reports none.
    run: ({ deps: { agents }, loaded }) =>
      agents.call(loaded, conditionsReading, {}).catch(() => ({ conditions: null })),
  }),
  getPhp: route({
    at: 'GET /api/servers/:server_id/php',
    summary: 'Show the PHP versions of a server with their extensions',
    right: 'read',
    loads: loadServer,
    answers: { 200: { about: 'As its agent reports it now.', json: ServerExtensions } },
    run: ({ deps: { agents }, loaded }) =>
      agents.call(loaded, phpReading, {}).catch(() => ({ php: null })),
  }),
  getServerWeb: route({
    at: 'GET /api/servers/:server_id/web',
    summary: 'Show the web servers of a server, and its sites that have no domain',
    details:
      'Such a site answers to a pattern, to an address, or to any name that no other site has. It is in no list of sites.',
    right: 'read',
    loads: loadServer,
    answers: { 200: { about: 'As its agent reported it last.', json: ServerWebView } },
    run: ({ deps, loaded }) => getServerWeb(deps.db, loaded.id),
  }),
  getMaintenance: route({
    at: 'GET /api/servers/:server_id/maintenance',
    summary: 'Show the updates of a server and their state',
    details:
      'Pending packages, a needed reboot, programs that still run replaced files, services that were started again, and whether security updates are installed automatically.',
    right: 'read',
    loads: loadServer,
    answers: { 200: { about: 'As its agent reported it last.', json: MaintenanceView } },
    run: ({ deps, loaded }) => getMaintenance(deps.db, loaded.id),
  }),
}
