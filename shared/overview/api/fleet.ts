import { strictObject, z } from 'zod'
import { SiteCopy } from '#shared/copies/api/copies.ts'
import { HEALTH, HealthCheckResult } from '#shared/health/api/health.ts'
import { Count, RecordId, Timestamp } from '#shared/kernel/api/parts.ts'
import { Port } from '#shared/kernel/fields.ts'
import { Inventory, Updates } from '#shared/kernel/inventory.ts'
import {
  FOUND_TLS_MODES,
  FRAMEWORKS,
  SERVER_STATUSES,
  SITE_STATUSES,
  TIERS,
} from '#shared/kernel/values.ts'
import { OperationView } from '#shared/operations/api/operations.ts'
import { Metrics, Service } from '#shared/servers/agent.ts'
import { DiskUse } from '#shared/servers/api/disk-use.ts'
import { AlsoOn } from '#shared/sites/api/sites.ts'
import { Attention } from './attention.ts'

export const WordpressVersion = strictObject({
  version: z.string(),
  sites: Count,
}).meta({ id: 'WordpressVersion', description: 'How many sites have a version of WordPress.' })
export type WordpressVersion = z.infer<typeof WordpressVersion>

export const FleetSite = strictObject({
  id: RecordId,
  server_id: RecordId,
  server: z.string().describe('The name of the server.'),
  domain: z.string(),
  user: z.string(),
  php: z.string(),
  tier: z.enum(TIERS).nullable().describe('Null for a discovered site, which has none.'),
  tls: z.enum(FOUND_TLS_MODES),
  framework: z.enum(FRAMEWORKS),
  wp_version: z.string(),
  status: z.enum(SITE_STATUSES),
  status_reason: z.string(),
  managed: z.boolean().describe('True: created by this dashboard. False: discovered.'),
  found: z
    .boolean()
    .describe(
      'True: its agent did not create it. It can be scanned and ignored, and its database password read; every other call is 409 with the code site_not_managed.',
    ),
  ignored: z.boolean().describe('Omitted from lists and counts; only for discovered sites.'),
  staging: z.boolean().describe('A protected copy: its visitors need a password.'),
  also_on: AlsoOn,
  updates: Updates,
  last_scan: Timestamp.nullable(),
  ...HEALTH,
  visited_at: Timestamp.nullable().describe(
    'When this dashboard last requested its front page from outside its server; null: never.',
  ),
  certificate_expires_at: z.string().describe('Empty while unknown or without one.'),
  disk_bytes: Count.nullable().describe('The last measured disk use; null while unknown.'),
  operation_id: z.string().nullable().describe('The operation that runs there.'),
  created_at: Timestamp,
}).meta({ id: 'FleetSite', description: 'A site in lists.' })
export type FleetSite = z.infer<typeof FleetSite>

export const FleetSitesPage = strictObject({
  sites: z.array(FleetSite),
  total: Count.describe('The total of all matching sites.'),
  page: RecordId,
  per_page: RecordId,
}).meta({ id: 'FleetSitesPage', description: 'One page of sites.' })

export const FleetSiteIds = strictObject({
  sites: z.array(z.strictObject({ id: RecordId, server_id: RecordId, domain: z.string() })),
  total: Count.describe('The total of all matching sites, of which at most 10,000 are listed.'),
}).meta({ id: 'FleetSiteIds', description: 'The ids of sites, for a bulk operation.' })

export const FleetSiteDetail = FleetSite.extend({
  server_state: z
    .strictObject({
      status: z.enum(SERVER_STATUSES),
      os: z.string(),
      php_versions: z.array(z.string()),
      last_sync: Timestamp.nullable(),
    })
    .describe('The state of its server, also for somebody who may see only the site.'),
  copy_of: SiteCopy.nullable().describe(
    'The site that it was copied from; null: it is no copy, or that site is deleted.',
  ),
  copies: z.array(SiteCopy).describe('Its copies outside the trash, newest first, at most 50.'),
  closed: z.boolean().describe('Its web server refuses every visitor.'),
  unknown: z
    .record(z.string(), z.string())
    .describe(
      'The values that its agent does not know, such as php or tls, with a code of the reason.',
    ),
  docroot: z.string(),
  db_name: z.string(),
  database_routines: z
    .boolean()
    .describe('Whether its database account can create views, routines, triggers and events.'),
  xmlrpc: z.boolean().describe('Whether xmlrpc.php answers.'),
  email: z.string(),
  trashed_at: Timestamp.nullable(),
  purge_at: Timestamp.nullable().describe('When it is permanently deleted automatically.'),
  disk: DiskUse.nullable().describe('Null before the first measurement or if discovered.'),
  inventory: Inventory.nullable(),
  health_checks: z.array(HealthCheckResult).describe('Empty while the health is unknown.'),
  operations: z.array(OperationView).describe('The last ones, newest first.'),
}).meta({ id: 'FleetSiteDetail', description: 'Everything known of one site.' })

export const FleetServer = strictObject({
  id: RecordId,
  name: z.string(),
  hostname: z.string(),
  port: Port,
  user: z.string(),
  tags: z.array(z.string()),
  os: z.string(),
  version: z.string(),
  status: z.enum(SERVER_STATUSES),
  status_reason: z.string().describe('Why the last contact failed; empty if it did not.'),
  failures: Count.describe('The number of consecutive failed contacts.'),
  sites_count: Count.describe('Without those in the trash.'),
  last_sync: Timestamp.nullable(),
  age: Count.nullable().describe('Seconds since the last sync, null before the first.'),
  created_at: Timestamp,
  metrics: Metrics.nullable(),
  metrics_at: Timestamp.nullable().describe('When they were read.'),
  metrics_age: Count.nullable().describe('Seconds since then; null before the first.'),
}).meta({ id: 'FleetServer', description: 'A server in lists.' })
export type FleetServer = z.infer<typeof FleetServer>

export const FleetServerDetail = FleetServer.extend({
  services: z.array(Service),
  php_versions: z.array(z.string()),
  sites: z.record(z.string(), Count).describe('Its sites by status.'),
  health: z.record(z.string(), Count).describe('Its sites in use by health.'),
  updates: Count.describe('Sites with a known update.'),
  operations: z.array(OperationView).describe('The last ones, newest first.'),
}).meta({ id: 'FleetServerDetail', description: 'Everything known of one server.' })
export type FleetServerDetail = z.infer<typeof FleetServerDetail>

export const Fleet = strictObject({
  servers: z.array(FleetServer),
  counts: z.strictObject({
    servers: z.record(z.string(), Count).describe('By status.'),
    sites: z.record(z.string(), Count).describe('By status.'),
    health: z.record(z.string(), Count).describe('Sites in use by health.'),
    operations: z
      .record(z.string(), Count)
      .describe('Running operations, and those that failed within a day, by status.'),
    updates: Count.describe('Sites in use with a known update.'),
    updates_unknown: Count.describe('WordPress sites of which no updates are known.'),
  }),
  attention: z.array(Attention).describe('Most severe first; kinds without items are omitted.'),
}).meta({ id: 'Fleet', description: 'The whole fleet on one page.' })
