import { z } from 'zod'
import * as nginx from '#agent/features/web/nginx.ts'
import { availablePath } from '#agent/features/web/vhost-files.ts'
import { setUrl } from '#agent/features/wordpress/wordpress.ts'
import { type Change, declared } from '#agent/kernel/effects/change.ts'
import { change } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import * as files from '#agent/kernel/site/certificate-files.ts'
import { certificateFolder } from '#agent/kernel/site/paths.ts'
import { findSite, type Site, writeSite } from '#agent/kernel/site/sites.ts'
import { Email, TlsMode } from '#shared/kernel/fields.ts'
import { parseJson } from '#shared/kernel/parse.ts'

const Recorded = z.object({ tls: TlsMode, email: Email })

/** The copy of a site that has moved gets its database from the other server. */
export const addressed = (host: Host, site: Site, scheme: 'http' | 'https'): Change =>
  declared([change('database', site.user)], async () => {
    if (!site.moving?.parted) await setUrl(host, site, scheme)
  })

/**
 * Changes the certificate of a site together with its record. A failure is undone immediately; an
 * interruption by `restore` after the next start.
 */
export async function changing(
  host: Host,
  domain: string,
  work: () => Promise<void>,
  ending = files.forgetFormer,
): Promise<void> {
  const { tls, email } = (await findSite(host, domain)) ?? {}
  try {
    await files.keepFormer(host, domain, { tls, email })
    await work()
  } catch (error) {
    await restore(host.steady ?? host, domain)
    throw error
  }
  await ending(host, domain)
}

/** Restores the state before an interrupted change; without one it only removes a key without use. */
export async function restore(host: Host, domain: string): Promise<void> {
  const former = await files.readFormer(host, domain)
  if (former === undefined) return files.removeUnused(host, domain)
  const site = await recorded(host, domain, former.record)
  if (!site) return
  if (former.pem !== '') await files.installed(host, domain, former.pem).apply()
  const certificate = former.pem === '' ? undefined : await nginx.certificateOf(host, domain)
  try {
    await nginx.apply(host, site, certificate).apply()
  } catch (error) {
    // nginx refuses every change while the file that a virtual host names is missing.
    if ((await isNamed(host, domain)) === (former.pem !== '')) await end(host, domain, former)
    throw error
  }
  // A broken WordPress keeps its address: the served certificate matters more.
  const scheme = certificate ? 'https' : 'http'
  await addressed(host, site, scheme)
    .apply()
    .catch(() => undefined)
  // Last: an undo that fails or is interrupted is repeated as a whole.
  await end(host, domain, former)
}

async function isNamed({ files }: Host, domain: string): Promise<boolean> {
  const vhost = (await files.read(availablePath(domain))) ?? ''
  return vhost.includes(certificateFolder(domain))
}

const end = (host: Host, domain: string, { pem }: { pem: string }): Promise<void> =>
  pem === '' ? files.removeCertificate(host, domain) : files.forgetFormer(host, domain)

/** The site with the certificate mode that its record had before the change. */
async function recorded(host: Host, domain: string, former: string): Promise<Site | undefined> {
  const site = await findSite(host, domain)
  if (!site) return findSite(host, domain, 'moved')
  const known = parseJson(Recorded, former)
  if (!known || (known.tls === site.tls && known.email === site.email)) return site
  const before = { ...site, ...known }
  await writeSite(host, before)
  return before
}
