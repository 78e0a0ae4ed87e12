import { z } from 'zod'
import { Metrics, Service } from '#shared/agent.ts'
import { Port, Tag } from '#shared/fields.ts'
import { Inventory, Updates } from '#shared/inventory.ts'
import {
  FOUND_TLS_MODES,
  FRAMEWORKS,
  HEALTH_STATES,
  SERVER_STATUSES,
  SITE_STATUSES,
  TIERS,
} from '#shared/values.ts'
import { digits } from './activity.ts'
import { Attention } from './attention.ts'
import { DiskUse } from './disk-use.ts'
import { HEALTH, HealthCheckResult } from './health.ts'
import { Flag, OperationView, someOf } from './operations.ts'
import { Count, RecordId, Timestamp } from './parts.ts'
import { AlsoOn } from './sites.ts'

export const SITE_SORTS = [
  'id',
  'domain',
  'server',
  'status',
  'php',
  'tier',
  'wp_version',
  'updates',
  'certificate_expires_at',
  'created_at',
  'health',
] as const

const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, { error: `Must be one of ${values.join(', ')}` })

const perPage = 'Must be a whole number between 1 and 500'

const phpRule = 'Must be one or more PHP versions such as 8.2,8.3'
const PhpVersions = z
  .string(phpRule)
  .regex(/^\d{1,2}\.\d{1,2}(,\d{1,2}\.\d{1,2}){0,19}$/, phpRule)
  .transform((text) => text.split(','))

/** The filters of sites, all of which must match, and their order: without pages. */
export const FleetSiteIdsQuery = z.object({
  q: z
    .string()
    .trim()
    .max(253, 'Must have at most 253 characters')
    .optional()
    .describe(
      'Words that are each part of the domain or of the system user; an address is searched for by its host.',
    ),
  server_id: digits('Must be an id').optional(),
  tag: Tag.optional().describe('Of the server.'),
  status: someOf(SITE_STATUSES).optional(),
  tier: someOf(TIERS).optional(),
  php: PhpVersions.optional().describe('One or more PHP versions, with commas between them.'),
  tls: someOf(FOUND_TLS_MODES).optional(),
  framework: someOf(FRAMEWORKS).optional(),
  updates: Flag.optional().describe('true: only sites with an update that is known.'),
  expiring: Flag.optional().describe(
    'true: only sites in use whose certificate has ended or ends within 14 days.',
  ),
  health: someOf(HEALTH_STATES).optional().describe('Only sites in use have a health.'),
  managed: Flag.optional().describe('false: only sites that were found on their servers.'),
  ignored: Flag.optional().describe('true: only ignored sites, which are left out otherwise.'),
  conflict: Flag.optional().describe('true: only sites whose name another server has, too.'),
  sort: oneOf(SITE_SORTS).default('domain'),
  order: oneOf(['asc', 'desc']).default('asc'),
})
export type FleetSiteIdsQuery = z.infer<typeof FleetSiteIdsQuery>

export const FleetSitesQuery = FleetSiteIdsQuery.extend({
  page: digits('Must be a whole number above 0').default(1).describe('1 is the first.'),
  per_page: digits(perPage)
    .refine((value) => value <= 500, perPage)
    .default(50)
    .describe('Up to 500; 50 when left out.'),
})
export type FleetSitesQuery = z.infer<typeof FleetSitesQuery>

export const FleetSite = z
  .strictObject({
    id: RecordId,
    server_id: RecordId,
    server: z.string().describe('The name of the server.'),
    domain: z.string(),
    user: z.string(),
    php: z.string(),
    tier: z.enum(TIERS).nullable().describe('Null of a found site: nothing gives it one.'),
    tls: z.enum(FOUND_TLS_MODES),
    framework: z.enum(FRAMEWORKS),
    wp_version: z.string(),
    status: z.enum(SITE_STATUSES),
    status_reason: z.string(),
    managed: z
      .boolean()
      .describe('Whether this dashboard created it, or it was found on its server.'),
    found: z
      .boolean()
      .describe(
        'True: its agent did not create it. It can be scanned and ignored, and its database password read; every other call is 409 with the code site_not_managed.',
      ),
    ignored: z
      .boolean()
      .describe('Left out of lists, counts and the overview; only one that is not managed.'),
    also_on: AlsoOn,
    updates: Updates,
    last_scan: Timestamp.nullable(),
    ...HEALTH,
    certificate_expires_at: z.string().describe('Empty while unknown or without one.'),
    disk_bytes: Count.nullable().describe(
      'Of its files and database as they were measured last; null while unknown.',
    ),
    operation_id: z.string().nullable().describe('The operation that runs there.'),
    created_at: Timestamp,
  })
  .meta({ id: 'FleetSite', description: 'A site with all that a list needs.' })
export type FleetSite = z.infer<typeof FleetSite>

export const FleetSitesPage = z
  .strictObject({
    sites: z.array(FleetSite),
    total: Count.describe('Of all that match.'),
    page: RecordId,
    per_page: RecordId,
  })
  .meta({ id: 'FleetSitesPage', description: 'One page of sites.' })

export const FleetSiteIds = z
  .strictObject({
    sites: z.array(z.strictObject({ id: RecordId, server_id: RecordId, domain: z.string() })),
    total: Count.describe('Of all that match, of which at most 10,000 are listed.'),
  })
  .meta({ id: 'FleetSiteIds', description: 'Sites by their ids, as a bulk operation takes them.' })

export const FleetSiteDetail = FleetSite.extend({
  closed: z.boolean().describe('Its web server refuses every visitor.'),
  unknown: z
    .record(z.string(), z.string())
    .describe('Of what its agent does not know, such as php or tls: a code of the reason.'),
  docroot: z.string(),
  db_name: z.string(),
  database_routines: z
    .boolean()
    .describe('Whether its database account can create views, routines, triggers and events.'),
  xmlrpc: z.boolean().describe('Whether xmlrpc.php answers.'),
  email: z.string(),
  trashed_at: Timestamp.nullable(),
  purge_at: Timestamp.nullable().describe('When it is permanently deleted automatically.'),
  disk: DiskUse.nullable().describe(
    'Null before the first measurement, and for a site that its agent did not create.',
  ),
  inventory: Inventory.nullable(),
  health_checks: z
    .array(HealthCheckResult)
    .describe('What each check found; empty while the health is unknown.'),
  operations: z.array(OperationView).describe('The last ones, newest first.'),
}).meta({ id: 'FleetSiteDetail', description: 'Everything known of one site.' })

export const FleetServer = z
  .strictObject({
    id: RecordId,
    name: z.string(),
    hostname: z.string(),
    port: Port,
    user: z.string(),
    tags: z.array(z.string()),
    os: z.string(),
    version: z.string(),
    status: z.enum(SERVER_STATUSES),
    status_reason: z.string().describe('Why the last contact failed, empty when it did not.'),
    failures: Count.describe('Contacts in a row that failed.'),
    sites_count: Count.describe('Without those in the trash.'),
    last_sync: Timestamp.nullable(),
    age: Count.nullable().describe('Seconds since the last sync, null before the first.'),
    created_at: Timestamp,
    metrics: Metrics.nullable(),
    metrics_at: Timestamp.nullable().describe('When they were read.'),
    metrics_age: Count.nullable().describe('Seconds since then; null before the first.'),
  })
  .meta({ id: 'FleetServer', description: 'A server with all that a list needs.' })
export type FleetServer = z.infer<typeof FleetServer>

export const FleetServerDetail = FleetServer.extend({
  services: z.array(Service),
  php_versions: z.array(z.string()),
  sites: z.record(z.string(), Count).describe('Its sites by status.'),
  health: z.record(z.string(), Count).describe('Its sites in use by health.'),
  updates: Count.describe('Sites with an update that is known.'),
  operations: z.array(OperationView).describe('The last ones, newest first.'),
}).meta({ id: 'FleetServerDetail', description: 'Everything known of one server.' })
export type FleetServerDetail = z.infer<typeof FleetServerDetail>

export const Fleet = z
  .strictObject({
    servers: z.array(FleetServer),
    counts: z.strictObject({
      servers: z.record(z.string(), Count).describe('By status.'),
      sites: z.record(z.string(), Count).describe('By status.'),
      health: z.record(z.string(), Count).describe('Sites in use by health.'),
      operations: z
        .record(z.string(), Count)
        .describe('Running operations, and those that failed within a day, by status.'),
      updates: Count.describe('Sites in use with an update that is known.'),
      updates_unknown: Count.describe('WordPress sites of which no updates are known.'),
    }),
    attention: z.array(Attention).describe('Most severe first; kinds without items are left out.'),
  })
  .meta({ id: 'Fleet', description: 'The whole fleet on one page.' })
