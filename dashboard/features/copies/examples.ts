import { AT, LATER } from '#dashboard/kernel/http/example-values.ts'

const addresses = {
  replaced: 1204,
  left: [
    {
      table: 'wp_posts',
      column: 'guid',
      reason: 'skipped',
      count: 212,
      examples: ['https://shop.example/?p=7'],
    },
  ],
}

const replaced = { status: 'ok', domain: 'shop.example', at: AT, until: LATER, addresses }

export const COPY_EXAMPLES = {
  CloneSite: {
    domain: 'staging.shop.example',
    from: { kind: 'site', site_id: 7 },
    php: '8.4',
    tier: 'small',
    tls: 'letsencrypt',
    email: 'anna@shop.example',
    user: 'staging7k2m9x',
    staging: true,
    with_jobs: false,
    accept: [],
    dry_run: false,
  },
  SiteCloneComplete: {
    status: 'ok',
    domain: 'staging.shop.example',
    at: AT,
    files: 18_240,
    bytes: 2_450_000_000,
    tables: 61,
    addresses,
    settings: {
      domain: 'staging.shop.example',
      maintenance: null,
      basic_auth: null,
      php_settings: { memory_limit: 512, values: {} },
      page_cache: null,
      xmlrpc: 'jetpack',
      trusted_cdn: null,
      page_purge: false,
      csp: 'basic',
      hsts: 'on',
    },
  },
  RefreshSite: {},
  CompareSites: { staging_id: 8 },
  PushSite: { staging_id: 8, files: true, tables: ['wp_posts'], overwrite: ['wp_posts'] },
  SiteRefreshComplete: { ...replaced, domain: 'staging.shop.example' },
  SiteCompareComplete: {
    status: 'ok',
    domain: 'shop.example',
    from: 'staging.shop.example',
    files: {
      added: { count: 1, examples: ['wp-content/themes/shop/new.css'] },
      changed: { count: 0, examples: [] },
      removed: { count: 0, examples: [] },
      live_changed: { count: 0, examples: [] },
      live_known: true,
    },
    tables: [
      {
        name: 'wp_posts',
        live_rows: 812,
        staging_rows: 815,
        live_changed: false,
        staging_changed: true,
      },
    ],
  },
  SitePushComplete: replaced,
  StagingPasswordComplete: { status: 'ok', domain: 'staging.shop.example' },
  ShownStaging: { user: 'staging', password: 'nK4-example-Zt7' },
}
