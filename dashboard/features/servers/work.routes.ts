import {
  awaited,
  doneOrPlan,
  type StreamDeps,
  streamed,
  streamOfType,
  streamOperation,
} from '#dashboard/kernel/engine/operation-answers.ts'
import { startOperation } from '#dashboard/kernel/engine/start-operation.ts'
import { routesWith } from '#dashboard/kernel/http/route.ts'
import { serverTarget } from '#dashboard/kernel/targets/load-site.ts'
import { OnlyDryRun } from '#shared/kernel/api/body.ts'
import { ProvisionServer, RestartService } from '#shared/servers/api/servers.ts'
import { InstallUpdates } from '#shared/updates/api/maintenance.ts'

const route = routesWith<StreamDeps & { public_url: string | undefined }>()

export const serverWorkRoutes = {
  syncServer: route({
    at: 'POST /api/servers/:server_id/sync',
    ignores_unknown: true,
    summary: 'Sync the records of a server with the machine',
    details: 'Joins a running sync. 503 when the agent cannot be reached.',
    loads: serverTarget,
    ...streamed('server.sync'),
    answers: { 200: streamOfType('server.sync', 'The events of the sync.') },
    run: async (call) =>
      streamOperation(call, await startOperation(call.deps, 'server.sync', call.loaded, {})),
  }),
  provisionServer: route({
    at: 'POST /api/servers/:server_id/provision',
    summary: 'Provision a server',
    loads: serverTarget,
    body: ProvisionServer,
    ...streamed('server.provision'),
  }),
  checkIsolation: route({
    at: 'POST /api/servers/:server_id/isolation-check',
    summary: 'Check the isolation of the sites of a server',
    details:
      'Joins a check that is running. It completes also when attacks succeed: the results say which. Each online server that has sites is checked once a week automatically.',
    loads: serverTarget,
    body: OnlyDryRun,
    ...streamed('isolation.check', 'The events of the check, or its plan.'),
  }),
  installUpdates: route({
    at: 'POST /api/servers/:server_id/update',
    summary: 'Install package updates, and restart programs with replaced files',
    details:
      'Sites are restarted one after the other, without a failed request. What was installed cannot be undone. MariaDB is restarted only with `restart_database`. With `scope` `all`, the sites of the server are backed up first if `backup_first` says so.',
    loads: serverTarget,
    body: InstallUpdates,
    ...streamed('server.update'),
  }),
  upgradeAgent: route({
    at: 'POST /api/servers/:server_id/upgrade',
    summary: 'Upgrade the agent of a server',
    details: '409 while another operation runs there, or without a build for its machine.',
    loads: serverTarget,
    body: OnlyDryRun,
    ...streamed('agent.upgrade'),
  }),
  restartService: route({
    at: 'POST /api/servers/:server_id/services/restart',
    summary: 'Restart nginx, MariaDB or the PHP-FPM of one site',
    details: 'Waits for the outcome.',
    loads: serverTarget,
    body: RestartService,
    ...awaited('service.restart'),
    run: (call) => doneOrPlan(call, 'service.restart', `Restarted ${call.body.service}`),
  }),
}
