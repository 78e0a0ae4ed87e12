import { z } from 'zod'
import { Metrics, Service } from '../agent.ts'
import { Inventory, Updates } from '../inventory.ts'
import { SERVER_STATUSES, SITE_STATUSES, TIERS, TLS_MODES } from '../values.ts'
import { digits } from './activity.ts'
import { OperationView } from './operations.ts'

export const SITE_SORTS = [
  'id',
  'domain',
  'server',
  'status',
  'php',
  'tier',
  'wp_version',
  'updates',
  'created_at',
] as const

const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, { error: `Must be one of ${values.join(', ')}` })

const perPage = 'Must be a whole number between 1 and 500'

export const FleetSitesQuery = z.object({
  /** Part of a domain or of a system user. */
  q: z.string().trim().max(253, 'Must have at most 253 characters').optional(),
  server_id: digits('Must be an id').optional(),
  status: oneOf(SITE_STATUSES).optional(),
  tier: oneOf(TIERS).optional(),
  php: z.string().max(16, 'Must have at most 16 characters').optional(),
  tls: oneOf(TLS_MODES).optional(),
  /** `true`: only sites with an update that is known. */
  updates: oneOf(['true', 'false']).optional(),
  sort: oneOf(SITE_SORTS).default('domain'),
  order: oneOf(['asc', 'desc']).default('asc'),
  page: digits('Must be a whole number above 0').default(1),
  per_page: digits(perPage)
    .refine((value) => value <= 500, perPage)
    .default(50),
})
export type FleetSitesQuery = z.infer<typeof FleetSitesQuery>

/** `updates` keeps null for unknown. `server` is the name of the server. */
export const FleetSite = z.strictObject({
  id: z.number(),
  server_id: z.number(),
  server: z.string(),
  domain: z.string(),
  user: z.string(),
  php: z.string(),
  tier: z.enum(TIERS),
  tls: z.enum(TLS_MODES),
  framework: z.string(),
  wp_version: z.string(),
  status: z.enum(SITE_STATUSES),
  status_reason: z.string(),
  managed: z.boolean(),
  updates: Updates,
  last_scan: z.string().nullable(),
  /** What is under way there. */
  operation_id: z.string().nullable(),
  created_at: z.string(),
})
export type FleetSite = z.infer<typeof FleetSite>

export const FleetSitesPage = z.strictObject({
  sites: z.array(FleetSite),
  total: z.number(),
  page: z.number(),
  per_page: z.number(),
})

/**
 * Everything known of one site. `certificate_expires_at` is `""` while unknown or without one. A site
 * in the trash is purged by itself at `purge_at`.
 */
export const FleetSiteDetail = FleetSite.extend({
  docroot: z.string(),
  db_name: z.string(),
  email: z.string(),
  certificate_expires_at: z.string(),
  trashed_at: z.string().nullable(),
  purge_at: z.string().nullable(),
  inventory: Inventory.nullable(),
  operations: z.array(OperationView),
})

/** `age` is seconds since the last successful contact, null before the first. */
export const FleetServer = z.strictObject({
  id: z.number(),
  name: z.string(),
  hostname: z.string(),
  port: z.number(),
  user: z.string(),
  tags: z.array(z.string()),
  os: z.string(),
  version: z.string(),
  status: z.enum(SERVER_STATUSES),
  /** Why the last contact failed, `""` when it did not. */
  status_reason: z.string(),
  failures: z.number(),
  sites_count: z.number(),
  last_sync: z.string().nullable(),
  age: z.number().nullable(),
  created_at: z.string(),
  metrics: Metrics.nullable(),
})
export type FleetServer = z.infer<typeof FleetServer>

/** `sites` counts the server's sites by status; `updates` those with a known update. */
export const FleetServerDetail = FleetServer.extend({
  services: z.array(Service),
  php_versions: z.array(z.string()),
  sites: z.record(z.string(), z.number()),
  updates: z.number(),
  operations: z.array(OperationView),
})

/** One thing a person should look at, the gravest kinds first. */
export const Attention = z.strictObject({
  kind: z.enum(['server_offline', 'service_failed', 'site_failed', 'site_missing', 'updates']),
  server_id: z.number(),
  site_id: z.number().nullable(),
  name: z.string(),
  reason: z.string(),
})
export type Attention = z.infer<typeof Attention>

export const Fleet = z.strictObject({
  servers: z.array(FleetServer),
  counts: z.strictObject({
    servers: z.record(z.string(), z.number()),
    sites: z.record(z.string(), z.number()),
    operations: z.record(z.string(), z.number()),
    updates: z.number(),
    updates_unknown: z.number(),
  }),
  attention: z.array(Attention),
})
