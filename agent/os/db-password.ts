import { notFound } from '#shared/errors.ts'
import { Secret } from '#shared/secret.ts'
import type { Host } from '../host/ports.ts'
import { getSiteRoot } from './find-docroot.ts'
import { readWpConfig } from './site-root.ts'

/**
 * The database password of a site, from its wp-config.php, which is read and never run. Throws
 * not_found naming the domain when there is no such site, or no password in so many words.
 */
export async function databasePassword(host: Host, domain: string): Promise<Secret> {
  const root = await getSiteRoot(host, domain)
  const password = readWpConfig(root)?.constants.get('DB_PASSWORD')
  if (typeof password !== 'string') throw notFound(`Database password of ${domain}`)
  return new Secret(password)
}
