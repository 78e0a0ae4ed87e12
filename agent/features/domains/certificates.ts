import * as nginx from '#agent/features/web/nginx.ts'
import { type Change, declared, inOrder } from '#agent/kernel/effects/change.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import * as files from '#agent/kernel/site/certificate-files.ts'
import { certificateFolder } from '#agent/kernel/site/paths.ts'
import { type Site, writeSite } from '#agent/kernel/site/sites.ts'
import type { Progress } from '#agent/kernel/steps/command.ts'
import { allNamesOf, pairOf } from '#shared/kernel/site-names.ts'
import { type OrderedCertificate, orderCertificate } from './acme.ts'
import { needsRenewal } from './certificate-coverage.ts'
import { addressed, changeCertificate } from './change-certificate.ts'
import {
  type RequestedTls,
  reusableCertificate,
  reuseMessage,
  siteWithTls,
} from './current-certificate.ts'
import {
  forgetFailedRequests,
  type RetryHint,
  recordLeftOutNames,
  recordRefusal,
} from './failed-requests.ts'
import { awaitServed, provePair } from './handshake.ts'
import type { LeftOutName } from './probe-names.ts'
import { CertificateRefused } from './refusals.ts'
import { selfSigned } from './self-signed.ts'

/** `refused` is the reason why there is no new certificate; `left_out` are names without it. */
interface IssueResult {
  tls: Site['tls']
  expires_at: string
  /** True when no new certificate was needed. */
  kept?: true
  refused?: string
  retry?: RetryHint
  left_out: LeftOutName[]
}

/**
 * Installs, renews or (`none`) removes the certificate of a site of this agent: obtains it, proves
 * the pair, serves it, tests a TLS handshake with nginx, and only then updates WordPress and the
 * record. A refusal changes the requested state, not the served one: it is retried later. A failure
 * restores everything, and its error is readable. `expires_at` is ISO 8601, `""` without a
 * certificate.
 */
export async function* issue(host: Host, requested: RequestedTls): Progress<IssueResult> {
  const next = await siteWithTls(host, requested)
  let isRecorded = false
  const record = async () => {
    await writeSite(host, next)
    isRecorded = true
  }
  const { refused, retry, kept, left_out = [] } = yield* applyTls(host, next, record)
  if (!isRecorded) await record()
  await recordLeftOutNames(host, allNamesOf(next).slice(1), left_out)
  if (refused === undefined) await forgetFailedRequests(host, requested.domain)
  else await recordRefusal(host, requested.domain, refused, retry)
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

/** Runs `issue` for callers that must not fail because of it: returns the reason of a failure. */
export async function* issueOrReason(
  host: Host,
  requested: RequestedTls,
): Progress<Pick<IssueResult, 'refused' | 'left_out'>> {
  try {
    return yield* issue(host, requested)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    await recordRefusal(host, requested.domain, reason)
    return { refused: reason, left_out: [] }
  }
}

type WriteRecord = () => Promise<void>
type TlsChangeResult = Partial<Pick<IssueResult, 'kept' | 'refused' | 'retry' | 'left_out'>>

/** Changes the certificate; `record` belongs to the change. Returns why the authority refused. */
export async function* applyTls(
  host: Host,
  next: Site,
  record: WriteRecord = async () => undefined,
): Progress<TlsChangeResult> {
  try {
    if (next.tls !== 'none') return yield* provideCertificate(host, next, record)
    yield* removeCertificate(host, next, record)
    return {}
  } catch (error) {
    if (!(error instanceof CertificateRefused)) throw error
    return { refused: error.message, retry: error.retry }
  }
}

async function* provideCertificate(
  host: Host,
  site: Site,
  record: WriteRecord,
): Progress<TlsChangeResult> {
  const served = await nginx.certificateOf(host, site.domain)
  const kept = served && (await reusableCertificate(host, site))
  if (kept) {
    yield reuseMessage(kept)
    await serveAgain(host, site, served, record)
    return { kept: true }
  }
  const { chain, left_out } = yield* obtainCertificate(host, site, served)
  if (chain === undefined) {
    yield 'Keeping the current certificate: it has all other names'
    return { kept: true, left_out }
  }
  yield 'Serving the certificate'
  await changeCertificate(host, site.domain, async () => {
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
  record: WriteRecord,
): Promise<void> {
  const chain = (await host.files.read(served.fullchain)) ?? ''
  await changeCertificate(host, site.domain, async () => {
    await nginx.apply(host, site, served).apply()
    await awaitServed(host, site.domain, chain)
    await record()
  })
}

/** Obtains a certificate. Without a previous one, a failure leaves no key either. */
async function* obtainCertificate(
  host: Host,
  site: Site,
  served: nginx.Certificate | undefined,
): Progress<OrderedCertificate> {
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

async function* removeCertificate(host: Host, site: Site, record: WriteRecord): Progress<void> {
  yield 'Serving the site without a certificate'
  if (!(await nginx.certificateOf(host, site.domain))) return
  const work = async () => {
    await withdrawn(host, site).apply()
    await record()
  }
  await changeCertificate(host, site.domain, work, files.removeCertificate)
}

export const withdrawn = (host: Host, site: Site): Change =>
  inOrder(addressed(host, site, 'http'), nginx.apply(host, site, undefined))
