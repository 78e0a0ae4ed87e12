import type { Host } from '#agent/kernel/host/ports.ts'
import { systemProcesses } from '#agent/kernel/host/processes/processes.ts'
import type { TenantSite } from '#agent/kernel/host/scanner-port.ts'
import { docrootOf } from '#agent/kernel/site/paths.ts'
import { findSite } from '#agent/kernel/site/sites.ts'
import { notFound } from '#shared/kernel/errors.ts'
import { findPools } from './pools.ts'
import { listServed } from './vhosts.ts'

/**
 * Returns the docroot of a domain, and the user whose rights read it: of a managed site, otherwise
 * of any virtual host. Throws not_found naming the domain.
 */
export async function getTenantSite(host: Host, domain: string): Promise<TenantSite> {
  const own = await findSite(host, domain)
  if (own) return { docroot: docrootOf(own.user), user: own.user, php: own.php, domain }
  const processes = await systemProcesses(host)
  const vhost = (await listServed(host, processes)).find(
    (served) => served.domain !== '' && served.names.includes(domain),
  )
  if (!vhost || vhost.docroot === '') throw notFound(`Site ${domain}`)
  const pools = await findPools(host, processes, [vhost.php.address])
  const pool = pools(vhost.php.address)
  const php_user = pool?.user || vhost.user
  const php = pool ? pool.php : vhost.php.version
  const { docroot } = vhost
  return { docroot, domain, ...(php_user && { php_user }), ...(php && { php }) }
}
