import { z } from 'zod'
import { Metrics, Service } from '../agent.ts'
import { Port, Tag } from '../fields.ts'
import { Inventory, Updates } from '../inventory.ts'
import { FRAMEWORKS, SERVER_STATUSES, SITE_STATUSES, TIERS, TLS_MODES } from '../values.ts'
import { digits } from './activity.ts'
import { Attention } from './attention.ts'
import { Flag, OperationView, someOf } from './operations.ts'
import { Count, RecordId, Timestamp } from './parts.ts'

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
] as const

const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, { error: `Must be one of ${values.join(', ')}` })

const perPage = 'Must be a whole number between 1 and 500'

const phpRule = 'Must be one or more PHP versions such as 8.2,8.3'
const PhpVersions = z
  .string(phpRule)
  .regex(/^\d{1,2}\.\d{1,2}(,\d{1,2}\.\d{1,2}){0,19}$/, phpRule)
  .transform((text) => text.split(','))

/** What narrows the sites down, all of which must hold, and their order: without pages. */
export const FleetSiteIdsQuery = z.object({
  q: z
    .string()
    .trim()
    .max(253, 'Must have at most 253 characters')
    .optional()
    .describe('Part of a domain or of a system user.'),
  server_id: digits('Must be an id').optional(),
  tag: Tag.optional().describe('Of the server.'),
  status: someOf(SITE_STATUSES).optional(),
  tier: someOf(TIERS).optional(),
  php: PhpVersions.optional().describe('One or more PHP versions, with commas between them.'),
  tls: someOf(TLS_MODES).optional(),
  framework: someOf(FRAMEWORKS).optional(),
  updates: Flag.optional().describe('true: only sites with an update that is known.'),
  expiring: Flag.optional().describe(
    'true: only sites in use whose certificate has ended or ends within 14 days.',
  ),
  managed: Flag.optional().describe('false: only sites that were found, not made by the agent.'),
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
    tier: z.enum(TIERS),
    tls: z.enum(TLS_MODES),
    framework: z.enum(FRAMEWORKS),
    wp_version: z.string(),
    status: z.enum(SITE_STATUSES),
    status_reason: z.string(),
    managed: z.boolean().describe('Whether the agent made it.'),
    updates: Updates,
    last_scan: Timestamp.nullable(),
    certificate_expires_at: z.string().describe('Empty while unknown or without one.'),
    operation_id: z.string().nullable().describe('What is under way there.'),
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
  docroot: z.string(),
  db_name: z.string(),
  email: z.string(),
  trashed_at: Timestamp.nullable(),
  purge_at: Timestamp.nullable().describe('When it is removed for good by itself.'),
  inventory: Inventory.nullable(),
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
      operations: z
        .record(z.string(), Count)
        .describe('Those under way, and those that failed within a day, by status.'),
      updates: Count.describe('Sites with an update that is known.'),
      updates_unknown: Count.describe('WordPress sites of which no updates are known.'),
    }),
    attention: z
      .array(Attention)
      .describe('The gravest first; kinds that there is nothing of are left out.'),
  })
  .meta({ id: 'Fleet', description: 'The whole fleet on one page.' })
