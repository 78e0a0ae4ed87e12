import { z } from 'zod'
import { ServiceName } from '../commands/service.restart.ts'
import { Hostname, PhpVersion, Port, ServerName, SystemUser, Tags } from '../fields.ts'
import { DryRun } from '../plan.ts'
import { body } from './body.ts'

/** Defaults: decisions.md, Fields. The name of a server without one is its hostname. */
export const CreateServer = body({
  name: ServerName.optional(),
  hostname: Hostname,
  port: Port.default(8443),
  user: SystemUser.default('root'),
  tags: Tags.default([]),
})
export type CreateServer = z.infer<typeof CreateServer>

export const UpdateServer = body({
  name: ServerName.optional(),
  hostname: Hostname.optional(),
  port: Port.optional(),
  user: SystemUser.optional(),
  tags: Tags.optional(),
})
export type UpdateServer = z.infer<typeof UpdateServer>

export const ProvisionServer = body({
  /** Empty: the version that the distribution ships. */
  php_versions: z
    .array(PhpVersion, { error: 'Must be a list of PHP versions' })
    .max(10, 'Must name at most 10 versions')
    .default([]),
  dry_run: DryRun,
})

export const RestartService = body({ service: ServiceName, dry_run: DryRun })

const id = z.number().int().positive()

export const ServerListed = z.strictObject({
  id,
  name: z.string(),
  hostname: z.string(),
  port: z.number(),
  user: z.string(),
  tags: z.array(z.string()),
  os: z.string(),
  version: z.string(),
  sites_count: z.number(),
  last_sync: z.string().nullable(),
})
export type ServerListed = z.infer<typeof ServerListed>

/** `cpu` is percent, `ram` whole MB; all are 0 before the first reading. */
const ServerMetrics = z.strictObject({
  cpu: z.number(),
  ram: z.strictObject({ used: z.number(), total: z.number(), unit: z.literal('MB') }),
})

export const ServerDetail = ServerListed.omit({ user: true, last_sync: true }).extend({
  metrics: ServerMetrics,
})
export type ServerDetail = z.infer<typeof ServerDetail>
