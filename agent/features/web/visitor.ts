import type { Site } from '#agent/kernel/site/sites.ts'
import { nginx } from '#shared/kernel/formats/nginx.ts'
import { CDN_NETWORKS, VISITOR_HEADERS } from '#shared/sites/cdn.ts'

type VisitorSite = Pick<Site, 'moving' | 'settings'>

/** Returns the one header that nginx reads, which the other server of a move writes too. */
export const visitorHeaderOf = ({ settings }: Pick<Site, 'settings'>): string =>
  settings?.trusted_cdn ? VISITOR_HEADERS[settings.trusted_cdn].name : 'X-Real-IP'

/**
 * Renders how nginx finds the address of the visitor, which the network in front or the other
 * server of a move names, and nobody else can. `own` are further networks of the CDN. Rate limits,
 * lists of addresses, logs and PHP use it.
 */
export function renderVisitor(
  { moving, settings }: VisitorSite,
  own: readonly string[] = [],
): string {
  const cdn = settings?.trusted_cdn
  const trusted = [...(moving?.from ?? []), ...(cdn ? [...CDN_NETWORKS[cdn], ...own] : [])]
  if (trusted.length === 0) return ''
  const isList = cdn !== undefined && VISITOR_HEADERS[cdn].is_list
  return [
    ...trusted.map((network) => nginx`set_real_ip_from ${network};`),
    `real_ip_header ${visitorHeaderOf({ settings })};`,
    ...(isList ? ['real_ip_recursive on;'] : []),
  ]
    .map((line) => `    ${line}\n`)
    .join('')
}
