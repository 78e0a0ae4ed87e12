import type { Host } from '#agent/host/ports.ts'
import { findSite } from '#agent/os/site/sites.ts'
import type { Warning } from '#shared/agent.ts'
import { needsRenewal } from './certificates.ts'
import { noteRefused, readTries } from './tries.ts'

const CUT_OFF = 'the agent was restarted before the certificate was there'

/**
 * Of a site that is complete but for its certificate, when the agent ended before it could say so: it
 * is tried again as one that was refused.
 */
export async function cutOffCertificate(host: Host, domain: string): Promise<Warning[]> {
  const site = await findSite(host, domain)
  if (!site || !(await needsRenewal(host, site))) return []
  const { [domain]: told } = await readTries(host)
  if (!told) await noteRefused(host, domain, CUT_OFF)
  return [{ code: 'certificate_refused', message: told?.reason ?? CUT_OFF }]
}
