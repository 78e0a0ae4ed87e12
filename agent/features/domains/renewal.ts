import type { Host } from '#agent/kernel/host/ports.ts'
import type { Runner } from '#agent/kernel/operations/runner.ts'
import { findSite, listSites, type Site } from '#agent/kernel/site/sites.ts'
import { Failure } from '#shared/kernel/api/parts.ts'
import { isCancelled } from '#shared/kernel/errors.ts'
import { apexOf } from '#shared/kernel/names.ts'
import { missingNames, needsRenewal } from './certificate-coverage.ts'
import type { RequestedTls } from './current-certificate.ts'
import { withdrawLeftovers } from './dns-challenges.ts'
import { isRetryDue, isRetryPending, readFailedRequests, recordRefusal } from './failed-requests.ts'
import { type RenewalTimes, readRenewalTimes, updateRenewalTimes } from './renewal-times.ts'

/**
 * Asks when certificates are to be renewed, and renews those that are due, each as an operation; or
 * those that an authority refused, at the time on their record (failed-requests.ts).
 */
export async function renewAll(
  host: Host,
  runner: Runner,
  report: (error: unknown) => void,
  which: RenewalFilter,
): Promise<void> {
  await withdrawLeftovers(host).catch(report)
  if (!which.refused) await updateRenewalTimes(host).catch(report)
  for (const { domain } of await listDue(host, which)) await renewSite(host, runner, domain, which)
}

/**
 * Awaits the end of the operation, so that the next round does not find it again. Does nothing for
 * a certificate that was renewed meanwhile: each order counts for the limits of the authority.
 */
async function renewSite(
  host: Host,
  runner: Runner,
  domain: string,
  which: RenewalFilter,
): Promise<void> {
  await host.exclusive(`renewal of ${domain}`, async () => {
    // Waits for its turn among the operations of the site.
    const due = await runner.alone(apexOf(domain), () => findDue(host, domain, which))
    if (!due) return
    const operation = await runner.start('tls.issue', due)
    const failure = Failure.safeParse(await operation.untilEnd()).data
    // A failure after the order counts like a refusal.
    if (failure && !isCancelled(failure))
      await recordRefusal(host, domain, failure.message ?? failure.error)
  })
}

interface RenewalFilter {
  /** Only sites whose previous request was refused. */
  refused?: boolean
}

interface RenewalState extends RenewalFilter {
  tries: Awaited<ReturnType<typeof readFailedRequests>>
  times: RenewalTimes
}

/** Lists sites whose certificate is missing or due, or lacks a name whose next attempt is due. */
export async function listDue(host: Host, which: RenewalFilter = {}): Promise<RequestedTls[]> {
  const known = await readRenewalState(host, which)
  const due: RequestedTls[] = []
  for (const site of await listSites(host))
    if (await isDue(host, site, known)) due.push(requestOf(site))
  return due
}

/** Returns the request for a site that is due now. */
async function findDue(
  host: Host,
  domain: string,
  which: RenewalFilter = {},
): Promise<RequestedTls | undefined> {
  const site = await findSite(host, domain)
  if (!site || !(await isDue(host, site, await readRenewalState(host, which)))) return undefined
  return requestOf(site)
}

const readRenewalState = async (host: Host, which: RenewalFilter): Promise<RenewalState> => ({
  ...which,
  tries: await readFailedRequests(host),
  times: await readRenewalTimes(host),
})

const requestOf = ({ domain, tls, email }: Site): RequestedTls => ({ domain, tls, email })

async function isDue(host: Host, site: Site, known: RenewalState): Promise<boolean> {
  const { tries, times, refused = false } = known
  const tried = tries[site.domain]
  if (isRetryPending(tried, host.clock.now())) return false
  const lacking = await missingNames(host, site)
  if (lacking.some((name) => isRetryDue(tries[name], host.clock.now()))) return true
  return !(refused && !tried) && (await needsRenewal(host, site, times))
}
