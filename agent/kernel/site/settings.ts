import type { SettingsReport } from '#shared/sites/site.configure.ts'
import type { XMLRPC_MODES } from '#shared/sites/site-settings.ts'
import type { Site } from './sites.ts'

type Settings = NonNullable<Site['settings']>
type OrDefault = { [N in keyof Settings]?: Settings[N] | null }

/** Only settings that differ from the defaults are part of a record; null is the default. */
export function withSettings({ settings: _, ...site }: Site, settings: OrDefault): Site {
  const kept = Object.entries(settings).filter(([, value]) => value !== undefined && value !== null)
  return kept.length === 0 ? site : { ...site, settings: Object.fromEntries(kept) }
}

type Mode = (typeof XMLRPC_MODES)[number]

/** Who may call xmlrpc.php. */
export function withXmlrpc({ xmlrpc: _, ...site }: Site, mode: Mode): Site {
  const { xmlrpc: __, ...others } = site.settings ?? {}
  const settings = mode === 'jetpack' ? { ...others, xmlrpc: mode } : others
  return withSettings({ ...site, ...(mode === 'off' && { xmlrpc: false }) }, settings)
}

export const xmlrpcOf = ({ xmlrpc = true, settings }: Site): Mode =>
  xmlrpc ? (settings?.xmlrpc ?? 'on') : 'off'

/** All settings as they are, without the hash of the password. */
export function reportOf(site: Site): SettingsReport {
  const {
    maintenance = null,
    basic_auth,
    php_settings = null,
    page_cache = null,
    trusted_cdn = null,
  } = site.settings ?? {}
  return {
    ...{ domain: site.domain, maintenance, php_settings, page_cache, xmlrpc: xmlrpcOf(site) },
    ...{ trusted_cdn, page_purge: site.settings?.page_purge ?? false },
    ...{ csp: site.settings?.csp ?? 'basic', hsts: site.settings?.hsts ?? 'on' },
    basic_auth: basic_auth ? { user: basic_auth.user } : null,
  }
}

/** Visitors of a staging site need its current pages. */
export const hasPageCache = ({ staging, settings }: Pick<Site, 'staging' | 'settings'>): boolean =>
  !staging && settings?.page_cache?.enabled !== false
