import { strictObject, z } from 'zod'
import { body, openBody } from '#shared/kernel/api/body.ts'
import { Count, RecordId, Timestamp } from '#shared/kernel/api/parts.ts'
import { Hostname, Port, ServerName, SystemUser, Tags } from '#shared/kernel/fields.ts'
import { DryRun } from '#shared/kernel/plan.ts'
import { SERVER_STATUSES } from '#shared/kernel/values.ts'
import { InstalledPhp } from '#shared/php/php-installed.ts'
import { Condition } from '#shared/servers/agent.ts'
import { serverProvision } from '#shared/servers/server.provision.ts'
import { serviceRestart } from '#shared/servers/service.restart.ts'

/** The default name of a server is its hostname. */
export const CreateServer = openBody({
  name: ServerName.optional().describe('Default: its hostname.'),
  hostname: Hostname.describe('A DNS name or an IP address.'),
  port: Port.default(8443).describe('Where its agent answers.'),
  user: SystemUser.default('root').describe('The login user for installing the agent.'),
  tags: Tags.default([]),
}).meta({ id: 'CreateServer' })
export type CreateServer = z.infer<typeof CreateServer>

export const UpdateServer = openBody({
  name: ServerName.optional(),
  hostname: Hostname.optional(),
  port: Port.optional(),
  user: SystemUser.optional(),
  tags: Tags.optional(),
}).meta({ id: 'UpdateServer', description: 'Omitted fields stay unchanged.' })
export type UpdateServer = z.infer<typeof UpdateServer>

export const ProvisionServer = body({
  ...serverProvision.params.shape,
  dry_run: DryRun,
}).meta({ id: 'ProvisionServer' })

export const RestartService = body({
  ...serviceRestart.params.shape,
  dry_run: DryRun,
}).meta({ id: 'RestartService' })

const facts = {
  id: RecordId,
  name: z.string(),
  hostname: z.string(),
  port: Port,
  tags: z.array(z.string()),
  os: z.string().describe('As reported by the agent; empty until then.'),
  version: z.string().describe('Of the agent; empty until it is reported.'),
  sites_count: Count.describe('Without those in the trash.'),
}

export const ServerListed = strictObject({
  ...facts,
  user: z.string(),
  last_sync: Timestamp.nullable().describe('Null until the first.'),
}).meta({ id: 'ServerListed', description: 'A server in the list.' })
export type ServerListed = z.infer<typeof ServerListed>

const amount = z.number().nonnegative()

const ServerMetrics = strictObject({
  cpu: amount.describe('Percent.'),
  ram: z.strictObject({ used: amount, total: amount, unit: z.literal('MB') }),
}).describe('The last reading; all are 0 before the first.')

export const ServerDetail = strictObject({ ...facts, metrics: ServerMetrics }).meta({
  id: 'ServerDetail',
  description: 'A server with its last reading.',
})
export type ServerDetail = z.infer<typeof ServerDetail>

/** `pending` until its agent has answered. */
export const ServerCreated = strictObject({
  id: RecordId,
  name: z.string(),
  status: z.enum(SERVER_STATUSES),
}).meta({ id: 'ServerCreated', description: 'A server that was registered.' })

export const ServerUpdated = strictObject({
  id: RecordId,
  name: z.string(),
  tags: z.array(z.string()),
}).meta({ id: 'ServerUpdated', description: 'A server as it is after a change.' })

export const ConditionsView = strictObject({
  conditions: z.array(Condition).nullable().describe('Null: the agent is offline or too old.'),
}).meta({
  id: 'ConditionsView',
  description:
    'The obstacles to new sites on a server, as its agent reports them now: another program on port 80 or 443, a MariaDB that refuses the agent.',
})
export type ConditionsView = z.infer<typeof ConditionsView>

export const ServerExtensions = strictObject({
  php: z.array(InstalledPhp).nullable().describe('Null: the agent is offline or too old.'),
}).meta({
  id: 'ServerExtensions',
  description: 'The PHP versions of a server and their extensions.',
})

export const ServerPhp = strictObject({
  server_id: RecordId,
  name: z.string(),
  php_versions: z
    .array(z.string())
    .describe('Installed; empty before the first sync, or without PHP.'),
}).meta({ id: 'ServerPhp', description: 'The PHP versions of a server.' })
export type ServerPhp = z.infer<typeof ServerPhp>
