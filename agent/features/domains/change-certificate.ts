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

const RecordedTls = z.object({ tls: TlsMode, email: Email })

/** The copy of a site that has moved gets its database from the other server. */
export const addressed = (host: Host, site: Site, scheme: 'http' | 'https'): Change =>
  declared([change('database', site.user)], async () => {
    if (!site.moving?.parted) await setUrl(host, site, scheme)
  })

/**
 * Changes the certificate of a site together with its record. A failure is undone immediately; an
 * interruption by `restoreCertificate` after the next start.
 */
export async function changeCertificate(
  host: Host,
  domain: string,
  work: () => Promise<void>,
  ending = files.removeFormerCertificate,
): Promise<void> {
  const { tls, email } = (await findSite(host, domain)) ?? {}
  try {
    await files.keepFormerCertificate(host, domain, { tls, email })
    await work()
  } catch (error) {
    await restoreCertificate(host.steady ?? host, domain)
    throw error
  }
  await ending(host, domain)
}

/** Restores the state before an interrupted change; without one it only removes an unused key. */
export async function restoreCertificate(host: Host, domain: string): Promise<void> {
  const former = await files.readFormerCertificate(host, domain)
  if (former === undefined) return files.removeUnusedKey(host, domain)
  const site = await restoreRecord(host, domain, former.record)
  if (!site) return
  if (former.pem !== '') await files.installed(host, domain, former.pem).apply()
  const certificate = former.pem === '' ? undefined : await nginx.certificateOf(host, domain)
  try {
    await nginx.apply(host, site, certificate).apply()
  } catch (error) {
    // nginx refuses every change while the file that a virtual host names is missing.
    if ((await isInVhost(host, domain)) === (former.pem !== ''))
      await endRestore(host, domain, former)
    throw error
  }
  // A broken WordPress keeps its address: the served certificate matters more.
  const scheme = certificate ? 'https' : 'http'
  await addressed(host, site, scheme)
    .apply()
    .catch(() => undefined)
  // Last: an undo that fails or is interrupted is repeated as a whole.
  await endRestore(host, domain, former)
}

async function isInVhost({ files }: Host, domain: string): Promise<boolean> {
  const vhost = (await files.read(availablePath(domain))) ?? ''
  return vhost.includes(certificateFolder(domain))
}

const endRestore = (host: Host, domain: string, { pem }: { pem: string }): Promise<void> =>
  pem === '' ? files.removeCertificate(host, domain) : files.removeFormerCertificate(host, domain)

/** Restores the certificate mode that the record had before the change. */
async function restoreRecord(
  host: Host,
  domain: string,
  former: string,
): Promise<Site | undefined> {
  const site = await findSite(host, domain)
  if (!site) return findSite(host, domain, 'moved')
  const known = parseJson(RecordedTls, former)
  if (!known || (known.tls === site.tls && known.email === site.email)) return site
  const before = { ...site, ...known }
  await writeSite(host, before)
  return before
}
