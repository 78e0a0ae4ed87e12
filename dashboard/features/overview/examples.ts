import { METRICS_EXAMPLES } from '#dashboard/features/metrics/examples.ts'
import { SITE_EXAMPLES } from '#dashboard/features/sites/examples.ts'
import { OPERATION_EXAMPLES } from '#dashboard/kernel/engine/examples.ts'
import { AT, facts, OPERATION, site, updates } from '#dashboard/kernel/http/example-values.ts'

const health = {
  health: 'down',
  health_code: 'php_failed',
  health_reason: 'PHP 8.4 of this site has failed',
  health_since: AT,
  visited_at: AT,
}

const FleetSite = {
  ...site,
  server_id: 1,
  server: 'web-1',
  tls: 'letsencrypt',
  framework: 'wordpress',
  wp_version: '6.9',
  status: 'active',
  status_reason: '',
  ...health,
  managed: true,
  found: false,
  ignored: false,
  staging: false,
  also_on: [],
  updates,
  last_scan: AT,
  certificate_expires_at: '2026-05-30T09:30:00.000Z',
  disk_bytes: 2_570_000_000,
  operation_id: null,
  created_at: AT,
}

const SiteCopy = {
  id: 12,
  server_id: 1,
  server: 'web-1',
  domain: 'staging.shop.example',
  tls: 'letsencrypt',
  status: 'active',
  staging: true,
  created_at: AT,
}

const FleetServer = {
  ...facts,
  user: 'root',
  status: 'online',
  status_reason: '',
  failures: 0,
  last_sync: AT,
  age: 24,
  created_at: AT,
  metrics: METRICS_EXAMPLES.Metrics,
  metrics_at: AT,
  metrics_age: 24,
}

const AttentionItem = {
  severity: 'critical',
  server_id: 1,
  site_id: 9,
  operation_id: OPERATION,
  name: 'blog.example',
  subject: '',
  reason: 'The disk is full: retry the operation, or delete the site',
  at: null,
  count: 1,
  query: null,
}

const Attention = {
  kind: 'site_failed',
  severity: 'critical',
  total: 1,
  items: [AttentionItem],
  query: { status: 'failed' },
}

export const FLEET_EXAMPLES = {
  Attention,
  AttentionItem,
  Fleet: {
    servers: [FleetServer],
    counts: {
      servers: { online: 1 },
      sites: { active: 12 },
      health: { up: 10, degraded: 1, down: 1 },
      operations: { running: 1 },
      updates: 3,
      updates_unknown: 0,
    },
    attention: [Attention],
  },
  FleetNews: {
    kind: 'operation',
    message: 'Creating the system user shop_k3f9',
    operation: { ...OPERATION_EXAMPLES.OperationView, status: 'running', finished_at: null },
    event_id: 4,
  },
  FleetServer,
  FleetServerDetail: {
    ...FleetServer,
    services: [{ name: 'nginx', status: 'running' }],
    php_versions: ['8.4'],
    sites: { active: 12 },
    health: { up: 10, degraded: 1, down: 1 },
    updates: 3,
    operations: [OPERATION_EXAMPLES.OperationView],
  },
  WordpressVersion: { version: '7.1.1', sites: 12 },
  ServerPhp: { server_id: 1, name: 'web-1', php_versions: ['8.2', '8.4'] },
  FleetSite,
  FleetSiteDetail: {
    ...FleetSite,
    server_state: {
      status: 'online',
      os: FleetServer.os,
      php_versions: ['8.4'],
      last_sync: FleetServer.last_sync,
    },
    copy_of: null,
    copies: [SiteCopy],
    closed: false,
    unknown: {},
    docroot: '/home/shop_k3f9/shop.example/public',
    db_name: 'shop_k3f9',
    database_routines: false,
    xmlrpc: true,
    email: 'owner@shop.example',
    trashed_at: null,
    purge_at: null,
    disk: SITE_EXAMPLES.DiskUse,
    inventory: SITE_EXAMPLES.Inventory,
    health_checks: [SITE_EXAMPLES.HealthCheckResult],
    operations: [OPERATION_EXAMPLES.OperationView],
  },
  SiteCopy,
  FleetSiteIds: { sites: [{ id: 7, server_id: 1, domain: 'shop.example' }], total: 1 },
  FleetSitesPage: { sites: [FleetSite], total: 1, page: 1, per_page: 50 },
}
