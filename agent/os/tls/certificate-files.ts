import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import type { Host } from '#agent/host/ports.ts'
import * as effects from '#agent/os/effects/effects.ts'
import { CERTIFICATES, certificateFolder } from '#agent/os/site/paths.ts'
import type { Effect } from '#shared/plan.ts'

const SECRET = { mode: 0o600 }
const fullchainOf = (domain: string) => `${certificateFolder(domain)}/fullchain.pem`
const formerOf = (domain: string) => `${certificateFolder(domain)}/former.pem`
export const privateKeyOf = (domain: string) => `${certificateFolder(domain)}/privkey.pem`

/** The first certificate of a PEM text; undefined when it holds none. */
export function parseCertificate(pem: string | undefined): X509Certificate | undefined {
  try {
    return pem === undefined ? undefined : new X509Certificate(pem)
  } catch {
    return undefined
  }
}

/** False also for an invalid certificate. */
export function isSelfSigned(pem: string): boolean {
  const found = parseCertificate(pem)
  return found !== undefined && found.issuer === found.subject
}

/** The names that a certificate is valid for; undefined when it names none. */
export function namesIn(pem: string): string[] | undefined {
  const written = parseCertificate(pem)?.subjectAltName?.split(', ') ?? []
  const names = written.flatMap((entry) => (entry.startsWith('DNS:') ? [entry.slice(4)] : []))
  return names.length > 0 ? names : undefined
}

export async function readCertificate(host: Host, domain: string) {
  return parseCertificate(await host.files.read(fullchainOf(domain)))
}

/**
 * The private key of a site, created if it is missing: ECDSA P-256, PKCS 8 PEM. It stays when the certificate changes: then
 * a new certificate is one rename, and no crash can leave a key beside the wrong certificate.
 */
export async function provideKey(host: Host, path: string): Promise<string> {
  const known = await host.files.read(path)
  if (known !== undefined) return known
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
  await host.files.write(path, key, SECRET)
  return key
}

/** Copies the served certificate, so that `restoreFormer` works in this process and the next one. */
export async function keepFormer(host: Host, domain: string): Promise<void> {
  const served = (await host.files.read(fullchainOf(domain))) ?? ''
  await host.files.write(formerOf(domain), served, SECRET)
}

export const install = (host: Host, domain: string, pem: string): Promise<void> =>
  host.files.write(fullchainOf(domain), pem, SECRET)

/** The effects of a new certificate on the files of a site: an existing key stays. */
export async function planInstall(host: Host, domain: string): Promise<Effect[]> {
  const folder = certificateFolder(domain)
  const missing = await effects.planMake(host, 'folder', CERTIFICATES, folder)
  if (missing.length > 0) return missing
  return [
    ...(await effects.planMake(host, 'file', privateKeyOf(domain))),
    await effects.planPut(host, fullchainOf(domain)),
  ]
}

export const forgetFormer = (host: Host, domain: string): Promise<void> =>
  host.files.remove(formerOf(domain))

/** Restores the copy of `keepFormer`; false: there is none. */
export async function restoreFormer(host: Host, domain: string): Promise<boolean> {
  const former = await host.files.read(formerOf(domain))
  if (former === undefined) return false
  if (former === '') await host.files.remove(certificateFolder(domain))
  else await host.files.rename(formerOf(domain), fullchainOf(domain))
  return true
}
