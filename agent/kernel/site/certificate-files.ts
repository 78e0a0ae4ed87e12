import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import type { Change } from '#agent/kernel/effects/change.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { CERTIFICATES, certificateFolder } from './paths.ts'

const SECRET = { mode: 0o600 }
const fullchainOf = (domain: string) => `${certificateFolder(domain)}/fullchain.pem`
const formerOf = (domain: string) => `${certificateFolder(domain)}/former.pem`
export const privateKeyOf = (domain: string) => `${certificateFolder(domain)}/privkey.pem`

/** Returns the first certificate of a PEM text; undefined when it holds none. */
export function parseCertificate(pem: string | undefined): X509Certificate | undefined {
  try {
    return pem === undefined ? undefined : new X509Certificate(pem)
  } catch {
    return undefined
  }
}

/** Returns false also for an invalid certificate. */
export function isSelfSigned(pem: string): boolean {
  const found = parseCertificate(pem)
  return found !== undefined && !isIssued(found)
}

/** Returns whether an authority issued it. */
export const isIssued = ({ issuer, subject }: X509Certificate): boolean => issuer !== subject

/** Returns the names that a certificate is valid for; undefined when it names none. */
export function namesIn(pem: string): string[] | undefined {
  const written = parseCertificate(pem)?.subjectAltName?.split(', ') ?? []
  const names = written.flatMap((entry) => (entry.startsWith('DNS:') ? [entry.slice(4)] : []))
  return names.length > 0 ? names : undefined
}

export async function readCertificate(host: Host, domain: string) {
  return parseCertificate(await host.files.read(fullchainOf(domain)))
}

/**
 * Returns the private key of a site, created if it is missing: ECDSA P-256, PKCS 8 PEM. It stays
 * when the certificate changes: then a new certificate is one rename, and no crash can leave a key
 * beside the wrong certificate.
 */
export async function provideKey(host: Host, path: string): Promise<string> {
  const known = await host.files.read(path)
  if (known !== undefined) return known
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const key = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
  await host.files.write(path, key, SECRET)
  return key
}

/** Copies the served certificate with its record, for the undo here and after a restart. */
export async function keepFormerCertificate(
  host: Host,
  domain: string,
  record: object,
): Promise<void> {
  const served = (await host.files.read(fullchainOf(domain))) ?? ''
  await host.files.write(formerOf(domain), `${JSON.stringify(record)}\n${served}`, SECRET)
}

/** The copy of a certificate: `pem` is "" without one, `record` is JSON. */
interface FormerCertificate {
  pem: string
  record: string
}

/** Reads the copy of `keepFormerCertificate`; undefined without one. */
export async function readFormerCertificate(
  host: Host,
  domain: string,
): Promise<FormerCertificate | undefined> {
  const text = await host.files.read(formerOf(domain))
  if (text === undefined) return undefined
  const [first = ''] = text.split('\n', 1)
  return { pem: text.slice(first.length + 1), record: first }
}

/** A new certificate; an existing key stays. Its effects do not depend on it. */
export const installed = (host: Host, domain: string, pem: string): Change => ({
  async effects() {
    const folder = certificateFolder(domain)
    const missing = await effects.creationsOf(host, 'folder', CERTIFICATES, folder)
    if (missing.length > 0) return missing
    return [
      ...(await effects.creationsOf(host, 'file', privateKeyOf(domain))),
      await effects.replacementOf(host, fullchainOf(domain)),
    ]
  },
  apply: () => host.files.write(fullchainOf(domain), pem, SECRET),
})

/** Returns when the present certificate was installed; undefined without one. */
export const installedAt = async (host: Host, domain: string): Promise<number | undefined> =>
  (await host.files.stat(fullchainOf(domain)))?.mtime_ms

/** From then on the change is complete. */
export const removeFormerCertificate = (host: Host, domain: string): Promise<void> =>
  host.files.remove(formerOf(domain))

/**
 * Removes the certificate with its copy, in this order: an interrupted removal leaves no
 * certificate that would be served again. The next certificate uses the remaining key.
 */
export async function removeCertificate(host: Host, domain: string): Promise<void> {
  await host.files.remove(fullchainOf(domain))
  await removeFormerCertificate(host, domain)
  await host.files.remove(certificateFolder(domain)).catch(() => undefined)
}

/** Removes the key that an interrupted first attempt leaves. */
export async function removeUnusedKey(host: Host, domain: string): Promise<void> {
  if ((await host.files.stat(fullchainOf(domain))) === undefined)
    await host.files.remove(certificateFolder(domain))
}
