import type { Site } from '#agent/kernel/site/sites.ts'
import { nginx } from '#shared/kernel/formats/nginx.ts'
import { CDN_NETWORKS, VISITOR_HEADERS } from '#shared/sites/cdn.ts'

type Known = Pick<Site, 'moving' | 'settings'>

/** nginx reads one header: the other server of a move writes that of the network in front, too. */
export const visitorHeaderOf = ({ settings }: Pick<Site, 'settings'>): string =>
  settings?.trusted_cdn ? VISITOR_HEADERS[settings.trusted_cdn].name : 'X-Real-IP'

/**
 * The address of the visitor, as the network in front or the other server of a move names it. Nobody
 * else can name one. `own`: further networks of the CDN. Rate limits, lists of addresses, logs and PHP have it.
 */
export function renderVisitor({ moving, settings }: Known, own: readonly string[] = []): string {
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
