import type { Host } from '#agent/host/ports.ts'
import { findSite } from '#agent/os/site/sites.ts'
import type { Warning } from '#shared/agent.ts'
import { needsRenewal } from './coverage.ts'
import { noteRefused, readTries } from './tries.ts'

const CUT_OFF = 'the agent was restarted before the certificate was issued'

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
