import { OPERATION_EXAMPLES } from '#dashboard/kernel/engine/examples.ts'
import { AT, site, updates } from '#dashboard/kernel/http/example-values.ts'

const HealthCheckResult = {
  check: 'php',
  state: 'down',
  code: 'php_failed',
  reason: 'PHP 8.4 of this site has failed',
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

export const SITE_EXAMPLES = {
  ApplyPool: { user: 'shop_k3f9', php_version: '8.4', tier: 'medium' },
  CreateSite: { domain: 'shop.example', php: '8.4', tier: 'small', tls: 'letsencrypt' },
  IssueTls: { tls: 'letsencrypt' },
  JobRun: {
    started_at: AT,
    seconds: 2.4,
    result: 'failed',
    exit_status: 1,
    output: "Error: 'backup_daily' could not be run: no space left on device",
  },
  PurgeSite: { domain: 'shop.example' },
  ScanSite: { site_id: 7 },
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
    plan: OPERATION_EXAMPLES.Plan,
    also_on: [{ site_id: 12, server_id: 2, server: 'web-2' }],
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
  UpdateSite: { tier: 'medium' },
  DeleteSite: { without_backup: false, dry_run: false },
  DiskUse,
  Extension,
  Inventory,
  HealthCheckResult,
  Updates: updates,
  RestoreSite: { accept: ['name_taken_over'] },
  PoolApplyComplete: { status: 'ok', tier: 'medium' },
  SiteDeleteComplete: { status: 'ok', domain: 'shop.example', size: 48_230_400 },
  SiteScanComplete: { wp_version: '6.9', plugins: 14 },
  SiteUpdateComplete: { status: 'ok', domain: 'shop.example', php: '8.4', tier: 'medium' },
  TlsIssueComplete: {
    status: 'ok',
    domain: 'shop.example',
    tls: 'letsencrypt',
    expires_at: '2026-05-30T09:30:00.000Z',
  },
}
