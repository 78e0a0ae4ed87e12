import { z } from 'zod'
import { ASKS_AGENT, type Descriptions, streamOf } from '#dashboard/http/describe.ts'
import { OnlyDryRun } from '#shared/api/body.ts'
import { eventsOf } from '#shared/api/events.ts'
import { IsolationCheckView } from '#shared/api/isolation.ts'
import { InstallUpdates, MaintenanceView } from '#shared/api/maintenance.ts'
import { Done } from '#shared/api/parts.ts'
import {
  ConditionsView,
  CreateServer,
  ProvisionServer,
  RestartService,
  ServerCreated,
  ServerDetail,
  ServerListed,
  ServerUpdated,
  UpdateServer,
} from '#shared/api/servers.ts'
import { ServerWebView } from '#shared/api/web.ts'
import { PlanAnswer } from '#shared/plan.ts'

export const serverApi: Descriptions = {
  listServers: {
    route: 'GET /api/servers',
    summary: 'List the servers',
    answers: {
      200: { about: 'All of them.', json: z.strictObject({ servers: z.array(ServerListed) }) },
    },
  },
  createServer: {
    route: 'POST /api/servers',
    summary: 'Register a server',
    details:
      'Answers immediately; the server is pending until its agent is enrolled and has answered.',
    body: CreateServer,
    answers: {
      201: { about: 'Registered.', json: z.strictObject({ server: ServerCreated }) },
    },
  },
  getServer: {
    route: 'GET /api/servers/:server_id',
    summary: 'Show a server',
    answers: { 200: { about: 'The server.', json: z.strictObject({ server: ServerDetail }) } },
  },
  updateServer: {
    route: 'PATCH /api/servers/:server_id',
    summary: 'Change a server',
    body: UpdateServer,
    answers: {
      200: { about: 'As it is now.', json: z.strictObject({ server: ServerUpdated }) },
    },
  },
  removeServer: {
    route: 'DELETE /api/servers/:server_id',
    summary: 'Forget a server and its sites',
    details: 'The machine itself is not touched. 409 while an operation is running there.',
    answers: { 204: { about: 'Forgotten.' } },
    errors: ['conflict'],
  },
  syncServer: {
    route: 'POST /api/servers/:server_id/sync',
    summary: 'Make the records of a server agree with the machine',
    details: 'Joins a running sync. 503 when the agent cannot be reached.',
    answers: { 200: streamOf('The sync as it goes.', eventsOf('server.sync')) },
    errors: ASKS_AGENT,
  },
  provisionServer: {
    route: 'POST /api/servers/:server_id/provision',
    summary: 'Install and configure what sites need',
    body: ProvisionServer,
    answers: {
      200: {
        ...streamOf('The work as it goes, or its plan.', eventsOf('server.provision')),
        json: PlanAnswer,
      },
    },
    errors: ASKS_AGENT,
  },
  getIsolationCheck: {
    route: 'GET /api/servers/:server_id/isolation-check',
    summary: 'Show what the last isolation check of a server found',
    answers: {
      200: {
        about: 'The last check; nulls before the first.',
        json: z.strictObject({ isolation_check: IsolationCheckView }),
      },
    },
  },
  checkIsolation: {
    route: 'POST /api/servers/:server_id/isolation-check',
    summary: 'Attack one temporary site of a server from another one, and remove both',
    details:
      'Joins a check that is running. It completes also when attacks succeed: the results say which. Each online server that has sites is checked once a week by itself.',
    body: OnlyDryRun,
    answers: {
      200: {
        ...streamOf('The check as it goes, or its plan.', eventsOf('isolation.check')),
        json: PlanAnswer,
      },
    },
    errors: ASKS_AGENT,
  },
  getConditions: {
    route: 'GET /api/servers/:server_id/conditions',
    summary: 'Show what stands in the way of new sites on a server',
    answers: { 200: { about: 'As its agent reports it now.', json: ConditionsView } },
  },
  getServerWeb: {
    route: 'GET /api/servers/:server_id/web',
    summary: 'Show the web servers of a server, and its sites that have no domain',
    details:
      'Such a site answers to a pattern, to an address, or to any name that no other site has. It is in no list of sites.',
    answers: { 200: { about: 'As its agent reported it last.', json: ServerWebView } },
  },
  getMaintenance: {
    route: 'GET /api/servers/:server_id/maintenance',
    summary: 'Show the updates of a server, and what they wait for',
    details:
      'Pending packages, a needed reboot, programs that still run replaced files, services that were started again, and whether security updates are installed by themselves.',
    answers: { 200: { about: 'As its agent reported it last.', json: MaintenanceView } },
  },
  installUpdates: {
    route: 'POST /api/servers/:server_id/update',
    summary: 'Install updates of packages, and restart what runs the files that they replaced',
    details:
      'Sites are restarted one after the other, without a failed request. What was installed cannot be undone. MariaDB is restarted only with `restart_database`.',
    body: InstallUpdates,
    answers: {
      200: {
        ...streamOf('The work as it goes, or its plan.', eventsOf('server.update')),
        json: PlanAnswer,
      },
    },
    errors: ASKS_AGENT,
  },
  upgradeAgent: {
    route: 'POST /api/servers/:server_id/upgrade',
    summary: 'Give a server the agent that this dashboard has',
    details: '409 while something else is done there, or without a build for its machine.',
    body: OnlyDryRun,
    answers: {
      200: {
        ...streamOf('The work as it goes, or its plan.', eventsOf('agent.upgrade')),
        json: PlanAnswer,
      },
    },
    errors: ASKS_AGENT,
  },
  restartService: {
    route: 'POST /api/servers/:server_id/services/restart',
    summary: 'Restart nginx, MariaDB or the PHP-FPM of one site',
    details: 'Waits for the outcome.',
    body: RestartService,
    answers: { 200: { about: 'Done, or its plan.', json: z.union([Done, PlanAnswer]) } },
    errors: ASKS_AGENT,
  },
}
