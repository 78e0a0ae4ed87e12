import * as nginx from '#agent/features/web/nginx.ts'
import { type Change, declared, inOrder } from '#agent/kernel/effects/change.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import * as files from '#agent/kernel/site/certificate-files.ts'
import { certificateFolder } from '#agent/kernel/site/paths.ts'
import { type Site, writeSite } from '#agent/kernel/site/sites.ts'
import type { Progress } from '#agent/kernel/steps/command.ts'
import { allNamesOf, pairOf } from '#shared/kernel/site-names.ts'
import { type Ordered, orderCertificate } from './acme.ts'
import { addressed, changing } from './changing.ts'
import { needsRenewal } from './coverage.ts'
import { awaitServed, provePair } from './handshake.ts'
import { keeping, keptCertificate, nextOf, type Requested } from './present.ts'
import type { LeftOut } from './probe-names.ts'
import { CertificateRefused } from './refusals.ts'
import { selfSigned } from './self-signed.ts'
import { forgetTries, noteNames, noteRefused, type Retry } from './tries.ts'

/**
 * `refused`: why there is no new certificate; the previous one is still served. `left_out`: the
 * aliases and redirects that are not in it.
 */
interface Issued {
  tls: Site['tls']
  expires_at: string
  /** No new certificate was needed. */
  kept?: true
  refused?: string
  retry?: Retry
  left_out: LeftOut[]
}

/**
 * Installs, renews or (`none`) removes the certificate of a site of this agent: obtains it, proves the
 * pair, serves it, tests a TLS handshake with nginx, and only then updates WordPress and the record. A refusal changes the
 * requested state, not the served one: it is retried later. A failure restores everything, and its
 * error is readable. `expires_at` is ISO 8601, `""` without a certificate.
 */
export async function* issue(host: Host, requested: Requested): Progress<Issued> {
  const next = await nextOf(host, requested)
  let isRecorded = false
  const record = async () => {
    await writeSite(host, next)
    isRecorded = true
  }
  const { refused, retry, kept, left_out = [] } = yield* carryOut(host, next, record)
  if (!isRecorded) await record()
  await noteNames(host, allNamesOf(next).slice(1), left_out)
  if (refused === undefined) await forgetTries(host, requested.domain)
  else await noteRefused(host, requested.domain, refused, retry)
  const found = await files.readCertificate(host, requested.domain)
  const expires_at = found ? new Date(found.validTo).toISOString() : ''
  const asked = left_out.filter(({ name }) => !pairOf(next.domain).includes(name))
  return {
    tls: requested.tls,
    expires_at,
    left_out: asked,
    ...(kept && { kept }),
    ...(refused !== undefined && { refused }),
  }
}

/** `issue` for callers that must not fail because of it: returns the reason of a failure. */
export async function* issueOrReason(
  host: Host,
  requested: Requested,
): Progress<Pick<Issued, 'refused' | 'left_out'>> {
  try {
    return yield* issue(host, requested)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    await noteRefused(host, requested.domain, reason)
    return { refused: reason, left_out: [] }
  }
}

type Recorder = () => Promise<void>
type CarriedOut = Partial<Pick<Issued, 'kept' | 'refused' | 'retry' | 'left_out'>>

/** `issue` without notes; `record` is part of the change. Returns why the authority refused. */
export async function* carryOut(
  host: Host,
  next: Site,
  record: Recorder = async () => undefined,
): Progress<CarriedOut> {
  try {
    if (next.tls !== 'none') return yield* provide(host, next, record)
    yield* withdraw(host, next, record)
    return {}
  } catch (error) {
    if (!(error instanceof CertificateRefused)) throw error
    return { refused: error.message, retry: error.retry }
  }
}

async function* provide(host: Host, site: Site, record: Recorder): Progress<CarriedOut> {
  const served = await nginx.certificateOf(host, site.domain)
  const kept = served && (await keptCertificate(host, site))
  if (kept) {
    yield keeping(kept)
    await serveAgain(host, site, served, record)
    return { kept: true }
  }
  const { chain, left_out } = yield* certificateFor(host, site, served)
  if (chain === undefined) {
    yield 'Keeping the current certificate: it has all other names'
    return { kept: true, left_out }
  }
  yield 'Serving the certificate'
  await changing(host, site.domain, async () => {
    await newlyServed(host, site, chain, served).apply()
    await record()
  })
  return { left_out }
}

/** Serves a new certificate; WordPress gets another address with the first one. */
export const newlyServed = (
  host: Host,
  site: Site,
  chain: string,
  former: nginx.Certificate | undefined,
): Change =>
  inOrder(
    files.installed(host, site.domain, chain),
    nginx.serveCertified(host, site),
    declared([], () => awaitServed(host, site.domain, chain)),
    ...(former ? [] : [addressed(host, site, 'https')]),
  )

/** Its virtual host may have been changed by hand. */
async function serveAgain(
  host: Host,
  site: Site,
  served: nginx.Certificate,
  record: Recorder,
): Promise<void> {
  const chain = (await host.files.read(served.fullchain)) ?? ''
  await changing(host, site.domain, async () => {
    await nginx.apply(host, site, served).apply()
    await awaitServed(host, site.domain, chain)
    await record()
  })
}

/** Without a previous certificate, a failure leaves no key either. */
async function* certificateFor(
  host: Host,
  site: Site,
  served: nginx.Certificate | undefined,
): Progress<Ordered> {
  const { domain } = site
  try {
    if (site.tls === 'letsencrypt') {
      const names = (await needsRenewal(host, site)) ? [] : (served?.names ?? [])
      const ordered = yield* orderCertificate(host, site, { names })
      if (ordered.chain !== undefined) await provePair(host, domain, ordered.chain)
      return ordered
    }
    yield 'Creating a self-signed certificate'
    await files.provideKey(host, files.privateKeyOf(domain))
    const chain = await selfSigned(host, site)
    await provePair(host, domain, chain)
    return { chain, left_out: [] }
  } catch (error) {
    if (!served) await host.files.remove(certificateFolder(domain))
    throw error
  }
}

async function* withdraw(host: Host, site: Site, record: Recorder): Progress<void> {
  yield 'Serving the site without a certificate'
  if (!(await nginx.certificateOf(host, site.domain))) return
  const work = async () => {
    await withdrawn(host, site).apply()
    await record()
  }
  await changing(host, site.domain, work, files.removeCertificate)
}

export const withdrawn = (host: Host, site: Site): Change =>
  inOrder(addressed(host, site, 'http'), nginx.apply(host, site, undefined))
