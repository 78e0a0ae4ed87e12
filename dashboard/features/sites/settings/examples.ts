const settings = {
  maintenance: { allow: ['203.0.113.7'], message: 'We are back at noon.' },
  basic_auth: { user: 'client' },
  php_settings: {
    memory_limit: 256,
    upload: 128,
    execution_time: 120,
    input_vars: 5000,
    values: { max_file_uploads: '50' },
  },
  page_cache: { enabled: true, paths: ['/members'], cookies: ['member_'] },
  xmlrpc: 'jetpack',
  trusted_cdn: 'Cloudflare',
  page_purge: true,
  csp: 'report',
  hsts: 'subdomains',
}

export const SITE_SETTINGS_EXAMPLES = {
  ConfigureSite: settings,
  SiteConfigureComplete: { status: 'ok', domain: 'shop.example', ...settings },
  SiteSettingsView: {
    ...settings,
    php_limits: {
      memory_limit: { usual: 128, most: 256 },
      upload: { usual: 32, most: 256 },
      execution_time: { usual: 60, most: 300 },
      input_vars: { usual: 2000, most: 10_000 },
    },
  },
}
