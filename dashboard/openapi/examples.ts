import { ACCEPT_EXAMPLES } from './accept-examples.ts'
import { MAINTENANCE_EXAMPLES } from './maintenance-examples.ts'
import { WEB_EXAMPLES } from './web-examples.ts'

const OPERATION = 'q3Yk0ZsV1nTfBw8eR5uLxA'
const BULK = 'hN2cP9dX4mKvJ7sT0aQzLg'
const AT = '2026-03-01T09:30:00.000Z'
const LATER = '2026-03-01T09:30:12.000Z'

const facts = {
  id: 1,
  name: 'web-1',
  hostname: 'web-1.example.net',
  port: 8443,
  tags: ['production', 'eu'],
  os: 'Debian GNU/Linux 13 (trixie)',
  version: '0.1.0',
  sites_count: 12,
}

const site = { id: 7, domain: 'shop.example', user: 'shop_k3f9', php: '8.4', tier: 'small' }
const updates = { plugins: 2, themes: 0, core: false }

const metrics = {
  cpu: 14.5,
  ram: { used: 2310, total: 7940, unit: 'MB' },
  disk: { used: 41200, total: 81920, unit: 'MB' },
  load: [0.42, 0.37, 0.31],
  uptime: 864000,
  os: facts.os,
  version: facts.version,
}

const OperationWarning = {
  code: 'certificate_refused',
  message:
    'The certificate for shop.example was refused: DNS problem: NXDOMAIN looking up A for shop.example',
}

const OperationView = {
  id: OPERATION,
  type: 'site.create',
  server_id: 1,
  server: 'web-1',
  site_id: 7,
  domain: 'shop.example',
  actor: 'admin@example.com',
  status: 'success',
  last_line: 'Recording the site',
  error: null,
  warnings: [OperationWarning],
  attempts: 1,
  cancel: null,
  retry_of: null,
  next_at: null,
  deadline_at: LATER,
  created_at: AT,
  started_at: AT,
  finished_at: LATER,
}

const Condition = {
  code: 'port_http_taken',
  message: 'apache2 listens on port 80. Its sites go on; sites of Hosting Control need nginx there',
}

const relay = { host: 'smtp.example.com', port: 587, tls: 'starttls', user: 'hosting' }

const MailSetting = {
  enabled: true,
  relay: { ...relay, has_password: true },
  from_address: 'noreply@example.com',
  rewrite_from: null,
  hourly_limit: 100,
  updated_at: AT,
}

const SiteMailCounts = {
  site_id: 7,
  domain: 'shop.example',
  queued: 1,
  oldest_at: AT,
  held: false,
  sent_hour: 3,
  sent_day: 41,
  failed_day: 1,
  refused_day: 0,
  last_sent_at: LATER,
  problem: null,
  failures: [
    {
      ...{ at: AT, recipient: 'nobody@example.org', answer: '550 5.1.1 No such user' },
      expired: false,
    },
  ],
}

const health = {
  health: 'down',
  health_code: 'php_failed',
  health_reason: 'PHP 8.4 of this site has failed',
  health_since: AT,
}

const HealthCheckResult = {
  check: 'php',
  state: 'down',
  code: 'php_failed',
  reason: 'PHP 8.4 of this site has failed',
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
  also_on: [],
  updates,
  last_scan: AT,
  certificate_expires_at: '2026-05-30T09:30:00.000Z',
  disk_bytes: 2_570_000_000,
  operation_id: null,
  created_at: AT,
}

const DiskUse = {
  bytes: 2_450_000_000,
  files: 18_240,
  database_bytes: 120_000_000,
  limit_bytes: 10_000_000_000,
  limit_files: 250_000,
  measured_at: AT,
}

const Extension = {
  slug: 'woocommerce',
  name: 'WooCommerce',
  version: '10.1.0',
  active: true,
  update: '10.1.2',
}

const IsolationResult = {
  id: 'files.configs',
  title: 'Read the wp-config.php of other sites',
  outcome: 'refused',
  detail: '',
}
const IsolationCounts = { refused: 1, succeeded: 0, not_applicable: 0, error: 0 }

const Inventory = {
  wp_version: '6.9',
  plugins: [Extension],
  themes: [
    {
      slug: 'twentytwentyfive',
      name: 'Twenty Twenty-Five',
      version: '1.3',
      active: true,
      update: null,
    },
  ],
  core_update: null,
  updates,
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
  metrics,
  metrics_at: AT,
  metrics_age: 24,
}

const AttentionItem = {
  severity: 'critical',
  server_id: 1,
  site_id: 9,
  operation_id: OPERATION,
  name: 'blog.example',
  reason: 'The disk is full: repeat what failed, or delete the site',
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

const Effect = { action: 'create', kind: 'user', name: 'shop_k3f9' }
const Plan = {
  steps: [{ name: 'user', title: 'Create the system user shop_k3f9', effects: [Effect] }],
}

const target = { server_id: 1, site_id: 7, domain: 'shop.example' }

const hub_key = 'ed25519:2q8Xn5:7pQeJ0mYtVwZ3r9sLk1hGxUoBfC6dAiNR4S8E2TzMjw'

/** One of each component that is not the data of an event; what has none is made of its parts. */
export const EXAMPLES: Readonly<Record<string, unknown>> = {
  ...MAINTENANCE_EXAMPLES,
  Activity: {
    id: 41,
    type: 'site.create',
    domain: 'shop.example',
    status: 'success',
    created_at: AT,
  },
  FleetActivity: {
    id: 41,
    type: 'site.create',
    domain: 'shop.example',
    status: 'success',
    created_at: AT,
    actor: 'admin@example.com',
    server_id: 1,
    server: 'web-1',
    site_id: 7,
    operation_id: OPERATION,
    bulk_id: null,
  },
  ApiToken: {
    id: 2,
    name: 'deploy script',
    scope: 'operate',
    created_at: AT,
    expires_at: '2027-02-18T14:05:02.000Z',
    last_used_at: null,
  },
  ApplyPool: { user: 'shop_k3f9', php_version: '8.4', tier: 'medium' },
  Attention,
  AttentionItem,
  BulkItemView: { position: 1, ...target, status: 'success', operation_id: OPERATION, error: null },
  BulkOperationView: {
    id: BULK,
    type: 'pool.apply',
    params: { tier: 'large' },
    status: 'running',
    reason: '',
    parallel: 4,
    pause_after: 3,
    created_at: AT,
    finished_at: null,
    counts: { total: 40, waiting: 31, running: 4, success: 5, failed: 0, cancelled: 0, skipped: 0 },
  },
  BulkTarget: target,
  BulkTargets: { site_ids: [7, 9], server_ids: [], tag: 'production' },
  CancelOperation: { force: false },
  ChangePassword: {
    current_password: 'the old one, as it was',
    password: 'correct horse battery staple',
    end_tokens: true,
  },
  ChangeSetting: { value: 120 },
  CreateApiToken: {
    name: 'deploy script',
    password: 'correct horse battery staple',
    scope: 'operate',
    expires_in_days: 90,
  },
  CreateBulkOperation: {
    type: 'pool.apply',
    params: { tier: 'large' },
    targets: { tag: 'production' },
    parallel: 4,
    pause_after: 3,
  },
  CreateServer: { hostname: 'web-1.example.net', name: 'web-1', tags: ['production', 'eu'] },
  CreateSite: { domain: 'shop.example', php: '8.4', tier: 'small', tls: 'letsencrypt' },
  DiskUse,
  Done: { status: 'ok', message: 'Restarted nginx' },
  Effect,
  Enrolment: {
    code: 'Xo3vT9kQ2mZpL7wB1nYc5A',
    expires_at: AT,
    hub_key,
    lines: [
      {
        machine: 'linux-x64',
        sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        line: 'curl -fsS https://control.example.net/agent/linux-x64.gz | …',
      },
    ],
    obstacle: '',
  },
  EnrolmentState: {
    enrolled_at: null,
    code: {
      status: 'open',
      expires_at: AT,
      reason: 'The agent is there and waits for its code',
    },
  },
  Extension,
  Failure: {
    error: 'Agent offline',
    message: 'The agent on web-1.example.net:8443 did not answer in time',
  },
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
  FleetServer,
  FleetServerDetail: {
    ...FleetServer,
    services: [{ name: 'nginx', status: 'running' }],
    php_versions: ['8.4'],
    sites: { active: 12 },
    health: { up: 10, degraded: 1, down: 1 },
    updates: 3,
    operations: [OperationView],
  },
  FleetSite,
  FleetSiteDetail: {
    ...FleetSite,
    closed: false,
    unknown: {},
    docroot: '/home/shop_k3f9/shop.example/public',
    db_name: 'shop_k3f9',
    database_routines: false,
    xmlrpc: true,
    email: 'owner@shop.example',
    trashed_at: null,
    purge_at: null,
    disk: DiskUse,
    inventory: Inventory,
    health_checks: [HealthCheckResult],
    operations: [OperationView],
  },
  FleetSiteIds: { sites: [{ id: 7, server_id: 1, domain: 'shop.example' }], total: 1 },
  FleetSitesPage: { sites: [FleetSite], total: 1, page: 1, per_page: 50 },
  HealthCheckResult,
  Inventory,
  IsolationCheckView: {
    checked_at: AT,
    counts: IsolationCounts,
    results: [IsolationResult],
    failures: 0,
    failed_at: null,
    reason: '',
  },
  IsolationCounts,
  IsolationResult,
  Condition,
  ConditionsView: { conditions: [Condition] },
  ...WEB_EXAMPLES,
  ...ACCEPT_EXAMPLES,
  MailSettingView: MailSetting,
  ServerMailView: { setting: MailSetting, sends: true, running: true, sites: [SiteMailCounts] },
  SetMail: {
    relay: { ...relay, password: 'a password of the relay' },
    from_address: 'noreply@example.com',
    hourly_limit: 100,
  },
  SiteMailCounts,
  SiteMailView: {
    setting: { ...MailSetting, relay: null, from_address: 'shop@shop.example' },
    server: MailSetting,
    sends: true,
    running: true,
    counts: SiteMailCounts,
  },
  TestMail: { to: 'admin@example.com' },
  IssueTls: { tls: 'letsencrypt' },
  KeyView: {
    kid: '2q8Xn5',
    hub_key,
    state: 'current',
    created_at: AT,
    age: 86400,
    until: null,
    agents: 12,
  },
  Login: { email: 'admin@example.com', password: 'correct horse battery staple' },
  Metrics: metrics,
  MetricsHistory: {
    from: '2026-03-01T08:30:00.000Z',
    to: '2026-03-01T08:33:00.000Z',
    step: 60,
    at: [1772353800, 1772353860, 1772353920],
    cpu: [14.5, null, 16],
    cpu_max: [14.5, null, 16],
    ram_used: [2310, null, 2325],
    ram_total: [7940, null, 7940],
    disk_used: [41200, null, 41200],
    disk_total: [81920, null, 81920],
    load1: [0.42, null, 0.5],
    load5: [0.37, null, 0.4],
    load15: [0.31, null, 0.33],
  },
  JobRun: {
    started_at: AT,
    seconds: 2.4,
    result: 'failed',
    exit_status: 1,
    output: "Error: 'backup_daily' could not be run: no space left on device",
  },
  OnlyDryRun: { dry_run: true },
  OperationView,
  OperationWarning,
  Plan,
  ProvisionServer: { php_versions: ['8.4'] },
  PurgeSite: { domain: 'shop.example' },
  RestartService: { service: 'nginx' },
  ScanSite: { site_id: 7 },
  ServerCreated: { id: 1, name: 'web-1', status: 'pending' },
  ServerDetail: { ...facts, metrics: { cpu: metrics.cpu, ram: metrics.ram } },
  ServerListed: { ...facts, user: 'root', last_sync: AT },
  ServerUpdated: { id: 1, name: 'web-1', tags: facts.tags },
  Service: { name: 'nginx', status: 'running' },
  SettingChanged: { key: 'sync_interval', value: 120, updated: true },
  Settings: { default_php: '8.4', sync_interval: 60, email_notifications: true },
  FleetSettings: {
    default_php: '8.4',
    sync_interval: 60,
    email_notifications: true,
    unattended_updates: true,
  },
  ShownAdmin: { user: 'owner', password: 'Vq7-example-9sT' },
  ShownPassword: { password: 'Kx2-example-4rD' },
  SiteChanging: { id: 7, domain: 'shop.example', status: 'provisioning' },
  SiteDetail: {
    ...site,
    tls: 'letsencrypt',
    wp_version: '6.9',
    docroot: '/home/shop_k3f9/shop.example/public',
    framework: 'wordpress',
    db_name: 'shop_k3f9',
    created_at: AT,
  },
  SiteListed: { ...site, tls: 'letsencrypt', wp_version: '6.9', updates },
  SitePlan: {
    site: {
      domain: 'shop.example',
      php: '8.4',
      tier: 'small',
      tls: 'letsencrypt',
      email: 'owner@shop.example',
      user: 'shop_k3f9',
    },
    plan: Plan,
    also_on: [{ site_id: 12, server_id: 2, server: 'web-2' }],
  },
  SkippedTarget: {
    server_id: 1,
    site_id: 11,
    domain: 'plain.example',
    error: {
      error: 'Conflict',
      message: 'plain.example was found, not created by Hosting Control',
      code: 'site_not_managed',
    },
  },
  IgnoreSite: { ignored: true },
  IgnoredSite: { id: 11, domain: 'plain.example', ignored: true },
  TrashEntry: {
    id: 7,
    domain: 'shop.example',
    server_id: 1,
    server: 'web-1',
    status: 'trashed',
    status_reason: '',
    trashed_at: AT,
    purge_at: '2026-03-31T09:30:00.000Z',
    size: 48_230_400,
  },
  UpdateServer: { tags: ['production'] },
  UpdateSite: { tier: 'medium' },
  Updates: updates,
  User: { id: 1, email: 'admin@example.com', name: 'Administrator' },

  LogData: { message: 'Creating the system user shop_k3f9' },
  FleetNews: {
    kind: 'operation',
    message: 'Creating the system user shop_k3f9',
    operation: { ...OperationView, status: 'running', finished_at: null },
    event_id: 4,
  },
  BulkLogData: {
    message: 'shop.example begins',
    position: 1,
    domain: 'shop.example',
    operation_id: OPERATION,
    status: 'running',
  },
  BulkComplete: { status: 'ok', total: 40, success: 40, failed: 0, cancelled: 0 },
  AgentUpgradeComplete: { status: 'ok', version: '0.1.0' },
  CachePurgeComplete: { status: 'ok', domain: 'shop.example' },
  IsolationCheckComplete: {
    status: 'ok',
    checked_at: AT,
    counts: IsolationCounts,
    results: [IsolationResult],
  },
  MailApplyComplete: { status: 'ok', relay: true },
  MailCheckComplete: { status: 'ok', answer: '250 2.0.0 Ok: queued as 4b1XyZ' },
  PoolApplyComplete: { status: 'ok', tier: 'medium' },
  ServerProvisionComplete: { status: 'ok', php_versions: ['8.4'] },
  ServerSyncComplete: { status: 'ok', sites: 12 },
  ServiceRestartComplete: { status: 'ok', service: 'nginx' },
  SiteCreateComplete: { status: 'ok', domain: 'shop.example' },
  SiteDeleteComplete: { status: 'ok', domain: 'shop.example', size: 48_230_400 },
  SitePurgeComplete: { status: 'ok', domain: 'shop.example' },
  SiteRestoreComplete: { status: 'ok', domain: 'shop.example' },
  SiteScanComplete: { wp_version: '6.9', plugins: 14 },
  SiteUpdateComplete: { status: 'ok', domain: 'shop.example', php: '8.4', tier: 'medium' },
  TlsIssueComplete: {
    status: 'ok',
    domain: 'shop.example',
    tls: 'letsencrypt',
    expires_at: '2026-05-30T09:30:00.000Z',
  },
}
