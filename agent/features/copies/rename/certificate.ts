import { orderCertificate } from '#agent/features/domains/acme.ts'
import { missingNames, needsRenewal } from '#agent/features/domains/coverage.ts'
import { provePair } from '#agent/features/domains/handshake.ts'
import { type LeftOut, present } from '#agent/features/domains/probe-names.ts'
import { CertificateRefused } from '#agent/features/domains/refusals.ts'
import { selfSigned } from '#agent/features/domains/self-signed.ts'
import * as nginx from '#agent/features/web/nginx.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import * as files from '#agent/kernel/site/certificate-files.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { Progress } from '#agent/kernel/steps/command.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { isCovered } from '#shared/kernel/names.ts'
import { allNamesOf } from '#shared/kernel/site-names.ts'

const SECRET = { mode: 0o600 }
const PROBES = 50

/**
 * Puts a certificate for the new primary domain in its folder: a copy of the present one if that has
 * all names, else a new one. Nothing is served with it yet. Returns the names that are not in it.
 * Throws conflict with the code `certificate_refused`.
 */
export async function* provideCertificate(
  host: Host,
  former: Site,
  target: Site,
): Progress<LeftOut[]> {
  const { domain, tls } = target
  if (tls === 'none') return []
  if (await copyPresent(host, former, target)) return []
  if (tls === 'self-signed') {
    yield 'Creating a self-signed certificate'
    await files.provideKey(host, files.privateKeyOf(domain))
    const chain = await selfSigned(host, target)
    await provePair(host, domain, chain)
    await files.install(host, domain, chain)
    return []
  }
  await awaitServing(host, domain)
  try {
    const { chain, left_out } = yield* orderCertificate(host, target)
    if (chain === undefined) throw new Error(`There is no certificate for ${domain}`)
    await provePair(host, domain, chain)
    await files.install(host, domain, chain)
    return left_out
  } catch (error) {
    if (!(error instanceof CertificateRefused)) throw error
    throw conflict(error.message, 'certificate_refused')
  }
}

async function copyPresent(host: Host, former: Site, target: Site): Promise<boolean> {
  const served = await nginx.certificateOf(host, former.domain)
  if (!served || (await needsRenewal(host, former))) return false
  if ((await missingNames(host, former)).length > 0) return false
  const isIn = (name: string) => served.names?.some((written) => isCovered(name, written))
  if (!allNamesOf(target).every(isIn)) return false
  const [chain, key] = [
    await host.files.read(served.fullchain),
    await host.files.read(served.privkey),
  ]
  if (chain === undefined || key === undefined) return false
  await host.files.write(files.privateKeyOf(target.domain), key, SECRET)
  await files.install(host, target.domain, chain)
  return true
}

/** nginx applies a new configuration a moment after the signal; then the authority may ask. */
async function awaitServing(host: Host, domain: string): Promise<void> {
  const token = host.random.text(32)
  const path = await present(host, token, token)
  try {
    for (let tries = 0; tries < PROBES; tries++) {
      const asked = { host: domain, path: `/.well-known/acme-challenge/${token}` }
      const answer = await host.net.probe(asked).catch(() => undefined)
      if (answer?.status === 200 && answer.body === token) return
      await host.clock.sleep(100)
    }
  } finally {
    await host.files.remove(path)
  }
}
