import type { Host } from '#agent/kernel/host/ports.ts'
import * as files from '#agent/kernel/site/certificate-files.ts'
import { findSite } from '#agent/kernel/site/sites.ts'
import { allNamesOf, pairOf } from '#shared/kernel/site-names.ts'
import type { Warning } from '#shared/servers/agent.ts'
import { missingNames, needsRenewal } from './coverage.ts'
import type { Requested } from './present.ts'
import { describe } from './probe-names.ts'
import { forgetTries, noteNames, noteRefused, readTries } from './tries.ts'

const CUT_OFF = 'the agent was restarted before the certificate was issued'

/** Authorities let the lifetime begin up to an hour before the order, or at midnight. */
const BACKDATED_MS = 26 * 3_600_000

/**
 * For a site that is complete except for its certificate, if the agent ended before it reported
 * that: records a refusal, so that the request is retried.
 */
export async function cutOffCertificate(host: Host, domain: string): Promise<Warning[]> {
  const site = await findSite(host, domain)
  if (!site || !(await needsRenewal(host, site))) return []
  const { [domain]: known } = await readTries(host)
  if (!known) await noteRefused(host, domain, CUT_OFF)
  return [{ code: 'certificate_refused', message: known?.reason ?? CUT_OFF }]
}

/** What `issue` returns, if its change was complete before it was cut off. */
export async function findIssued(
  host: Host,
  { domain, tls, email }: Requested,
  since: number,
): Promise<{ expires_at: string } | undefined> {
  const site = await findSite(host, domain)
  if (site?.tls !== tls || site.email !== email) return undefined
  if ((await files.readFormer(host, domain)) !== undefined) return undefined
  const found = await files.readCertificate(host, domain)
  if (tls === 'none') return found ? undefined : { expires_at: '' }
  const at = await files.installedAt(host, domain)
  if (!found || at === undefined || at < since) return undefined
  // The file of a former certificate that was restored is new, too.
  if (Date.parse(found.validFrom) < since - BACKDATED_MS) return undefined
  return { expires_at: new Date(found.validTo).toISOString() }
}

/** After that: the notes that `issue` would have made, so that other names are retried. */
export async function noteIssued(host: Host, domain: string): Promise<Warning[]> {
  const site = await findSite(host, domain)
  if (!site) return []
  await files.removeUnused(host, domain)
  const tries = await readTries(host)
  const missing = (await missingNames(host, site)).filter((name) => name !== domain)
  const left_out = missing.map((name) => ({ name, reason: tries[name]?.reason ?? CUT_OFF }))
  await forgetTries(host, domain)
  await noteNames(host, allNamesOf(site).slice(1), left_out)
  const pair = pairOf(domain)
  const message = describe(left_out.filter(({ name }) => !pair.includes(name)))
  return message === undefined ? [] : [{ code: 'certificate_refused', message }]
}
