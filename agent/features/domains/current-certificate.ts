import { createPrivateKey, type X509Certificate } from 'node:crypto'
import type { Host } from '#agent/kernel/host/ports.ts'
import { undefinedIfThrows } from '#agent/kernel/host/undefined-if-throws.ts'
import {
  isIssued,
  namesIn,
  privateKeyOf,
  readCertificate,
} from '#agent/kernel/site/certificate-files.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import { isCovered } from '#shared/kernel/names.ts'
import { allNamesOf } from '#shared/kernel/site-names.ts'
import { needsRenewal } from './certificate-coverage.ts'
import { type CountedOrder, findIssuer } from './order-limits.ts'
import { readRenewalTimes } from './renewal-times.ts'

/** The requested certificate mode of a site; `email` is the contact of the ACME account. */
export type RequestedTls = Pick<Site, 'domain' | 'tls' | 'email'>

export const siteWithTls = async (
  host: Host,
  { domain, tls, email }: RequestedTls,
): Promise<Site> => ({
  ...(await getSite(host, domain)),
  tls,
  email,
})

/** Removes names that a wildcard among them covers: authorities refuse an order with both. */
export const namesToOrder = (names: readonly string[]): string[] =>
  names.filter((name) => !names.some((other) => other !== name && isCovered(name, other)))

/**
 * Returns the present certificate if an order would only lead to the same again: its authority
 * issued it for exactly these names and this key, and it is not due. Each order counts for the
 * limits of the authority.
 */
export async function reusableCertificate(
  host: Host,
  site: Site,
): Promise<X509Certificate | undefined> {
  if (site.tls !== 'letsencrypt') return undefined
  const found = await readCertificate(host, site.domain)
  if (!found || Date.parse(found.validFrom) > host.clock.now()) return undefined
  if (!hasNames(found, allNamesOf(site)) || (await needsRenewal(host, site))) return undefined
  const isUsable = (await isOfAuthority(host, site, found)) && (await hasKey(host, site, found))
  return isUsable ? found : undefined
}

export const reuseMessage = ({ validTo }: X509Certificate): string =>
  `Keeping the current certificate: it is valid until ${new Date(validTo).toISOString()} for exactly these names, and not due for renewal`

/** Returns how the authority counts an order for these names. */
export async function countedOrder(
  host: Host,
  { domain }: Site,
  names: readonly string[],
): Promise<CountedOrder> {
  const found = await readCertificate(host, domain)
  if (!found || !isIssued(found)) return { names, kind: 'new' }
  const { serial, at } = (await readRenewalTimes(host))[domain] ?? {}
  const isSuggested = serial === found.serialNumber && at != null
  if (isSuggested && Date.parse(at) <= host.clock.now()) return { names, kind: 'suggested' }
  return { names, kind: hasNames(found, names) ? 'renewal' : 'new' }
}

function hasNames(found: X509Certificate, names: readonly string[]): boolean {
  const written = new Set(namesIn(String(found)) ?? [])
  return written.symmetricDifference(new Set(namesToOrder(names))).size === 0
}

/** Returns whether the configured authority issued it, as its record or renewal time proves. */
async function isOfAuthority(host: Host, { domain }: Site, found: X509Certificate) {
  if (!isIssued(found)) return false
  const directory = await findIssuer(host, found)
  if (directory !== undefined) return directory === host.settings.acme_directory
  const { serial, at } = (await readRenewalTimes(host))[domain] ?? {}
  return serial === found.serialNumber && at != null
}

async function hasKey(host: Host, { domain }: Site, found: X509Certificate): Promise<boolean> {
  const pem = await host.files.read(privateKeyOf(domain))
  const key = pem === undefined ? undefined : undefinedIfThrows(() => createPrivateKey(pem))
  return key !== undefined && found.checkPrivateKey(key)
}
