import type { FoundSite } from '#shared/agent.ts'

/** A site as an agent finds it. */
export function found(domain: string, more: Partial<FoundSite> = {}): FoundSite {
  return {
    domain,
    user: 'shop',
    docroot: `/home/shop/${domain}`,
    php: '8.2',
    tier: 'small',
    tls: 'none',
    framework: 'wordpress',
    wp_version: '6.9',
    db_name: 'shop',
    updates: { plugins: 2, themes: null, core: true },
    ...more,
  }
}
