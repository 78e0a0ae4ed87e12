import type { Host } from '#agent/kernel/host/ports.ts'
import { privateKeyOf } from '#agent/kernel/site/certificate-files.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { allNamesOf } from '#shared/kernel/site-names.ts'

/** The longest lifetime that browsers and Apple's rules accept. */
const DAYS = 825

/** Returns a certificate for all names of the site with its own key. A CN has 64 characters. */
export async function selfSigned(host: Host, site: Site): Promise<string> {
  const { domain } = site
  const names = allNamesOf(site).map((name) => `DNS:${name}`)
  const subject = domain.length > 64 ? '/O=Hosting Control' : `/CN=${domain}`
  const key = ['-sha256', '-key', privateKeyOf(domain), '-days', String(DAYS)]
  const options = ['-subj', subject, '-addext', `subjectAltName=${names.join(',')}`]
  const { stdout } = await host.shell.run(['openssl', 'req', '-x509', '-new', ...key, ...options])
  return stdout
}
