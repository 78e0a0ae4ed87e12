import { withSettings, withXmlrpc, xmlrpcOf } from '#agent/os/site/settings.ts'
import type { Site } from '#agent/os/site/sites.ts'
import type { PageCache, PhpSettings, XMLRPC_MODES } from '#shared/site-settings.ts'

/**
 * The settings that a clone takes over: not the access of visitors, and not the CDN in front of the
 * original.
 */
export interface Inherited {
  php_settings?: PhpSettings | undefined
  page_cache?: PageCache | undefined
  xmlrpc?: (typeof XMLRPC_MODES)[number]
}

/** Only what differs from the defaults. */
export function inheritedOf(original: Site): Inherited {
  const { php_settings, page_cache } = original.settings ?? {}
  const xmlrpc = xmlrpcOf(original)
  return {
    ...(php_settings && { php_settings }),
    ...(page_cache && { page_cache }),
    ...(xmlrpc !== 'on' && { xmlrpc }),
  }
}

const NAMES = { php_settings: 'PHP settings', page_cache: 'page cache', xmlrpc: 'XML-RPC' } as const

/** For people; none if the original has only defaults. */
export const namesOf = (inherited: Inherited): string[] =>
  (Object.keys(NAMES) as (keyof Inherited)[])
    .filter((name) => inherited[name] !== undefined)
    .map((name) => NAMES[name])

/** The record of the clone with them: the steps that follow apply and record it. */
export function inherit(site: Site, { xmlrpc, ...settings }: Inherited): void {
  const target = withSettings(site, { ...site.settings, ...settings })
  Object.assign(site, xmlrpc === undefined ? target : withXmlrpc(target, xmlrpc))
}
