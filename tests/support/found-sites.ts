import type { FoundSite } from '#shared/kernel/found-site.ts'
import type { SiteUsage } from '#shared/metrics/site-usage.ts'

/** A site as an agent finds it. */
export function found(domain: string, more: Partial<FoundSite> = {}): FoundSite {
  const { user = 'shop' } = more
  return {
    domain,
    user,
    docroot: `/srv/www/${user}/public`,
    php: '8.2',
    tier: 'small',
    tls: 'none',
    framework: 'wordpress',
    wp_version: '6.9',
    db_name: user,
    updates: { plugins: 2, themes: null, core: true },
    ...more,
  }
}

/** What an agent reports of a site that it created itself, and has not measured yet. */
export function created(domain: string): SiteUsage {
  const unknown = { bytes: null, files: null, database_bytes: null, measured_at: null }
  return { domain, ...unknown, limit_bytes: 1e10, limit_files: 250_000 }
}
