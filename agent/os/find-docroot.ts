import { notFound } from '#shared/errors.ts'
import type { Host } from '../host/ports.ts'
import { docrootOf } from './paths.ts'
import { openSite, type SiteRoot } from './site-root.ts'
import { findSite } from './sites.ts'
import { listVhosts } from './vhosts.ts'

/**
 * The docroot that a domain is served from: of a site that this agent made, else of any virtual host.
 * Throws not_found naming the domain.
 */
export async function getSiteRoot(host: Host, domain: string): Promise<SiteRoot> {
  const own = await findSite(host, domain)
  const docroot = own ? docrootOf(own.user) : await servedFrom(host, domain)
  const root = docroot === undefined ? undefined : openSite(host, docroot)
  if (!root) throw notFound(`Site ${domain}`)
  return root
}

async function servedFrom(host: Host, domain: string): Promise<string | undefined> {
  const vhost = (await listVhosts(host)).find(({ names }) => names.includes(domain))
  return vhost?.docroot === '' ? undefined : vhost?.docroot
}
