import type { SettingsReport } from '#shared/sites/site.configure.ts'
import type { XMLRPC_MODES } from '#shared/sites/site-settings.ts'
import type { Site } from './sites.ts'

type SiteSettingsRecord = NonNullable<Site['settings']>
type SettingsOrDefault = { [N in keyof SiteSettingsRecord]?: SiteSettingsRecord[N] | null }

/** Returns the site with settings, recorded if they are no defaults; null is the default. */
export function withSettings({ settings: _, ...site }: Site, settings: SettingsOrDefault): Site {
  const kept = Object.entries(settings).filter(([, value]) => value !== undefined && value !== null)
  return kept.length === 0 ? site : { ...site, settings: Object.fromEntries(kept) }
}

type XmlrpcMode = (typeof XMLRPC_MODES)[number]

/** Returns the site with a mode of who may call xmlrpc.php. */
export function withXmlrpc({ xmlrpc: _, ...site }: Site, mode: XmlrpcMode): Site {
  const { xmlrpc: __, ...others } = site.settings ?? {}
  const settings = mode === 'jetpack' ? { ...others, xmlrpc: mode } : others
  return withSettings({ ...site, ...(mode === 'off' && { xmlrpc: false }) }, settings)
}

export const xmlrpcOf = ({ xmlrpc = true, settings }: Site): XmlrpcMode =>
  xmlrpc ? (settings?.xmlrpc ?? 'on') : 'off'

/** Returns all settings without the hash of the password. */
export function reportOf(site: Site): SettingsReport {
  const {
    maintenance = null,
    basic_auth,
    php_settings = null,
    page_cache = null,
    trusted_cdn = null,
  } = site.settings ?? {}
  return {
    domain: site.domain,
    maintenance,
    php_settings,
    page_cache,
    xmlrpc: xmlrpcOf(site),
    trusted_cdn,
    page_purge: site.settings?.page_purge ?? false,
    csp: site.settings?.csp ?? 'basic',
    hsts: site.settings?.hsts ?? 'on',
    basic_auth: basic_auth ? { user: basic_auth.user } : null,
  }
}

/** Returns whether pages are cached; visitors of a staging site need its current pages. */
export const hasPageCache = ({ staging, settings }: Pick<Site, 'staging' | 'settings'>): boolean =>
  !staging && settings?.page_cache?.enabled !== false
