import { withSettings, withXmlrpc, xmlrpcOf } from '#agent/kernel/site/settings.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { PageCache, PhpSettings, XMLRPC_MODES } from '#shared/sites/site-settings.ts'

/** The settings that a clone inherits; the same site also inherits password, CDN and HSTS. */
export interface InheritedSettings {
  php_settings?: PhpSettings | undefined
  page_cache?: PageCache | undefined
  xmlrpc?: (typeof XMLRPC_MODES)[number]
  basic_auth?: Settings['basic_auth']
  trusted_cdn?: Settings['trusted_cdn']
  csp?: Settings['csp']
  hsts?: Settings['hsts']
}

type Settings = NonNullable<Site['settings']>

/** Returns the settings that differ from the defaults. */
export function inheritedOf(original: Site, { isSame = false } = {}): InheritedSettings {
  const { php_settings, page_cache, basic_auth, trusted_cdn, csp, hsts } = original.settings ?? {}
  const xmlrpc = xmlrpcOf(original)
  return {
    ...(php_settings && { php_settings }),
    ...(page_cache && { page_cache }),
    ...(xmlrpc !== 'on' && { xmlrpc }),
    ...(isSame && basic_auth && { basic_auth }),
    ...(csp && { csp }),
    ...(isSame && trusted_cdn && { trusted_cdn }),
    ...(isSame && hsts && { hsts }),
  }
}

const NAMES: Record<keyof InheritedSettings, string> = {
  php_settings: 'PHP settings',
  page_cache: 'page cache',
  xmlrpc: 'XML-RPC',
  basic_auth: 'password for visitors',
  trusted_cdn: 'trusted CDN',
  csp: 'content security policy',
  hsts: 'HSTS',
}

/** Names the inherited settings for people. */
export const namesOf = (inherited: InheritedSettings): string[] =>
  (Object.keys(NAMES) as (keyof InheritedSettings)[])
    .filter((name) => inherited[name] !== undefined)
    .map((name) => NAMES[name])

export function inherit(site: Site, { xmlrpc, ...settings }: InheritedSettings): Site {
  const target = withSettings(site, { ...site.settings, ...settings })
  return xmlrpc === undefined ? target : withXmlrpc(target, xmlrpc)
}
