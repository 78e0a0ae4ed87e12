import type { Host } from '#agent/kernel/host/ports.ts'
import * as files from '#agent/kernel/site/certificate-files.ts'
import { findSite } from '#agent/kernel/site/sites.ts'
import { allNamesOf, pairOf } from '#shared/kernel/site-names.ts'
import type { Warning } from '#shared/servers/agent.ts'
import { missingNames, needsRenewal } from './certificate-coverage.ts'
import type { RequestedTls } from './current-certificate.ts'
import {
  forgetFailedRequests,
  readFailedRequests,
  recordLeftOutNames,
  recordRefusal,
} from './failed-requests.ts'
import { describeLeftOut } from './probe-names.ts'

const INTERRUPTED = 'the agent was restarted before the certificate was issued'

/** The difference to a time of issue: authorities begin the lifetime earlier, some at midnight. */
const BACKDATED_MS = 26 * 3_600_000

/** Records a refusal for a retry, if the agent ended before the report. */
export async function recordInterruptedIssue(host: Host, domain: string): Promise<Warning[]> {
  const site = await findSite(host, domain)
  if (!site || !(await needsRenewal(host, site))) return []
  const { [domain]: known } = await readFailedRequests(host)
  if (!known) await recordRefusal(host, domain, INTERRUPTED)
  return [{ code: 'certificate_refused', message: known?.reason ?? INTERRUPTED }]
}

/** Returns the result of `issue`, if its change was complete before the interruption. */
export async function findIssued(
  host: Host,
  { domain, tls, email }: RequestedTls,
  since: number,
): Promise<{ expires_at: string } | undefined> {
  const site = await findSite(host, domain)
  if (site?.tls !== tls || site.email !== email) return undefined
  if ((await files.readFormerCertificate(host, domain)) !== undefined) return undefined
  const found = await files.readCertificate(host, domain)
  if (tls === 'none') return found ? undefined : { expires_at: '' }
  const at = await files.installedAt(host, domain)
  if (!found || at === undefined || at < since) return undefined
  // The file of a restored former certificate is new, too.
  if (Date.parse(found.validFrom) < since - BACKDATED_MS) return undefined
  return { expires_at: new Date(found.validTo).toISOString() }
}

/** Records after an interruption what `issue` would have recorded: other names are retried. */
export async function recordIssued(host: Host, domain: string): Promise<Warning[]> {
  const site = await findSite(host, domain)
  if (!site) return []
  await files.removeUnusedKey(host, domain)
  const tries = await readFailedRequests(host)
  const missing = (await missingNames(host, site)).filter((name) => name !== domain)
  const left_out = missing.map((name) => ({ name, reason: tries[name]?.reason ?? INTERRUPTED }))
  await forgetFailedRequests(host, domain)
  await recordLeftOutNames(host, allNamesOf(site).slice(1), left_out)
  const pair = pairOf(domain)
  const message = describeLeftOut(left_out.filter(({ name }) => !pair.includes(name)))
  return message === undefined ? [] : [{ code: 'certificate_refused', message }]
}
