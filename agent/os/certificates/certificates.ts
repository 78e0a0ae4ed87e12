import type { Host } from '#agent/host/ports.ts'
import * as effects from '#agent/os/effects/effects.ts'
import * as nginx from '#agent/os/nginx/nginx.ts'
import { certificateFolder } from '#agent/os/site/paths.ts'
import { getSite, planWriteSite, type Site, writeSite } from '#agent/os/site/sites.ts'
import * as files from '#agent/os/tls/certificate-files.ts'
import type { Progress } from '#agent/steps/command.ts'
import type { Effect } from '#shared/plan.ts'
import { allNamesOf, pairOf } from '#shared/site-names.ts'
import { type Ordered, orderCertificate, planOrder } from './acme.ts'
import { changing, setAddress } from './changing.ts'
import { needsRenewal } from './coverage.ts'
import { awaitServed } from './handshake.ts'
import type { LeftOut } from './probe-names.ts'
import { CertificateRefused } from './refusals.ts'
import { selfSigned } from './self-signed.ts'
import { forgetTries, noteNames, noteRefused, type Retry } from './tries.ts'

/** The requested state of a site: `email` is the contact of an ACME account. */
export type Requested = Pick<Site, 'domain' | 'tls' | 'email'>

/**
 * `refused`: why there is no new certificate; the previous one is still served. `left_out`: the
 * aliases and redirects that are not in it.
 */
interface Issued {
  tls: Site['tls']
  expires_at: string
  refused?: string
  retry?: Retry
  left_out: LeftOut[]
}

/**
 * Installs, renews or (`none`) removes the certificate of a site of this agent: obtains it, serves
 * it, tests a TLS handshake, and only then updates WordPress and the record. A refusal changes the
 * requested state, not the served one: it is retried later. A failure restores everything, and its
 * error is readable. `expires_at` is ISO 8601, `""` without a certificate.
 */
export async function* issue(host: Host, requested: Requested): Progress<Issued> {
  const site = await getSite(host, requested.domain)
  const next: Site = { ...site, tls: requested.tls, email: requested.email }
  let isRecorded = false
  const record = async () => {
    await writeSite(host, next)
    isRecorded = true
  }
  const { refused, retry, left_out = [] } = yield* carryOut(host, next, record)
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
type CarriedOut = Partial<Pick<Issued, 'refused' | 'retry' | 'left_out'>>

/** `issue` without notes; `record` is part of the change. Returns why the authority refused. */
export async function* carryOut(
  host: Host,
  next: Site,
  record: Recorder = async () => undefined,
): Progress<CarriedOut> {
  try {
    if (next.tls !== 'none') return { left_out: yield* provide(host, next, record) }
    yield* withdraw(host, next, record)
    return {}
  } catch (error) {
    if (!(error instanceof CertificateRefused)) throw error
    return { refused: error.message, retry: error.retry }
  }
}

/** What `issue` would do. */
export async function planIssue(host: Host, requested: Requested): Promise<Effect[]> {
  const site = await getSite(host, requested.domain)
  const next: Site = { ...site, tls: requested.tls, email: requested.email }
  const record = await planWriteSite(host, next)
  if (next.tls !== 'none') return [...(await planProvide(host, next)), ...record]
  if (!(await nginx.certificateOf(host, site.domain))) return record
  return [
    effects.change('database', site.user),
    ...(await nginx.planApply(host, next, undefined)),
    effects.remove('folder', certificateFolder(site.domain)),
    ...record,
  ]
}

/** The effects of `provide` for a site with or without a certificate. */
export async function planProvide(host: Host, site: Site): Promise<Effect[]> {
  const served = await nginx.certificateOf(host, site.domain)
  return [
    ...(site.tls === 'letsencrypt' ? await planOrder(host, site) : []),
    ...(await files.planInstall(host, site.domain)),
    ...(await nginx.planServe(host, site)),
    ...(served ? [] : [effects.change('database', site.user)]),
  ]
}

async function* provide(host: Host, site: Site, record: Recorder): Progress<LeftOut[]> {
  const served = await nginx.certificateOf(host, site.domain)
  const { chain, left_out } = yield* certificateFor(host, site, served)
  if (chain === undefined) {
    yield 'Keeping the current certificate: it has all other names'
    return left_out
  }
  yield 'Serving the certificate'
  await changing(host, site.domain, async () => {
    await files.install(host, site.domain, chain)
    await nginx.apply(host, site, await nginx.certificateOf(host, site.domain))
    await awaitServed(host, site.domain, chain)
    if (!served) await setAddress(host, site, 'https')
    await record()
  })
  return left_out
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
      return yield* orderCertificate(host, site, { names })
    }
    yield 'Creating a self-signed certificate'
    await files.provideKey(host, files.privateKeyOf(domain))
    return { chain: await selfSigned(host, site), left_out: [] }
  } catch (error) {
    if (!served) await host.files.remove(certificateFolder(domain))
    throw error
  }
}

async function* withdraw(host: Host, site: Site, record: Recorder): Progress<void> {
  yield 'Serving the site without a certificate'
  if (!(await nginx.certificateOf(host, site.domain))) return
  const work = async () => {
    await setAddress(host, site, 'http')
    await nginx.apply(host, site, undefined)
    await record()
  }
  await changing(host, site.domain, work, files.removeCertificate)
}
