import type { Host } from '#agent/kernel/host/ports.ts'
import { notFound } from '#shared/kernel/errors.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { getTenantSite } from './find-docroot.ts'

/**
 * Reads the database password of a site from its wp-config.php, which is never run. Throws
 * not_found naming the domain if the site or its password as a plain string is missing.
 */
export async function databasePassword(host: Host, domain: string): Promise<Secret> {
  const password = await host.scanner.databasePassword(await getTenantSite(host, domain))
  if (password === undefined) throw notFound(`Database password of ${domain}`)
  return new Secret(password)
}
