import type { Host } from '#agent/kernel/host/ports.ts'
import type { Runner } from '#agent/kernel/operations/runner.ts'
import { findSite, listSites, type Site } from '#agent/kernel/site/sites.ts'
import { Failure } from '#shared/kernel/api/parts.ts'
import { isCancelled } from '#shared/kernel/errors.ts'
import { apexOf } from '#shared/kernel/names.ts'
import { missingNames, needsRenewal } from './coverage.ts'
import { withdrawOld } from './dns-challenges.ts'
import type { Requested } from './present.ts'
import { type RenewalTimes, readRenewalTimes, updateRenewalTimes } from './renewal-times.ts'
import { isReady, isWaiting, noteRefused, readTries } from './tries.ts'

/**
 * Asks when the certificates are to be renewed, and renews those that are due, each as an operation;
 * or those that an authority refused, at the time on their record (tries.ts).
 */
export async function renewAll(
  host: Host,
  runner: Runner,
  report: (error: unknown) => void,
  which: Which,
): Promise<void> {
  await withdrawOld(host).catch(report)
  if (!which.refused) await updateRenewalTimes(host).catch(report)
  for (const { domain } of await renewDue(host, which))
    await issueAgain(host, runner, domain, which)
}

/**
 * Awaits its end: until then the next round would find the same. Does nothing for a certificate that
 * the other round, or a user, has renewed meanwhile: each order counts for the limits of the authority.
 */
async function issueAgain(host: Host, runner: Runner, domain: string, which: Which): Promise<void> {
  await host.exclusive(`renewal of ${domain}`, async () => {
    // In turn with the operations of the site.
    const due = await runner.alone(apexOf(domain), () => findDue(host, domain, which))
    if (!due) return
    const operation = await runner.start('tls.issue', due)
    const failure = Failure.safeParse(await operation.untilEnd()).data
    // It may have failed after its order: another one waits, like one that was refused.
    if (failure && !isCancelled(failure))
      await noteRefused(host, domain, failure.message ?? failure.error)
  })
}

interface Which {
  /** Only sites whose previous request was refused. */
  refused?: boolean
}

interface Known extends Which {
  tries: Awaited<ReturnType<typeof readTries>>
  times: RenewalTimes
}

/** Sites whose certificate is missing or due, or lacks a name whose next attempt is due. */
export async function renewDue(host: Host, which: Which = {}): Promise<Requested[]> {
  const known = await readKnown(host, which)
  const due: Requested[] = []
  for (const site of await listSites(host))
    if (await isDue(host, site, known)) due.push(requestOf(site))
  return due
}

/** What `renewDue` returns for this site at present. */
async function findDue(
  host: Host,
  domain: string,
  which: Which = {},
): Promise<Requested | undefined> {
  const site = await findSite(host, domain)
  if (!site || !(await isDue(host, site, await readKnown(host, which)))) return undefined
  return requestOf(site)
}

const readKnown = async (host: Host, which: Which): Promise<Known> => ({
  ...which,
  tries: await readTries(host),
  times: await readRenewalTimes(host),
})

const requestOf = ({ domain, tls, email }: Site): Requested => ({ domain, tls, email })

async function isDue(host: Host, site: Site, known: Known): Promise<boolean> {
  const { tries, times, refused = false } = known
  const tried = tries[site.domain]
  if (isWaiting(tried, host.clock.now())) return false
  const lacking = await missingNames(host, site)
  if (lacking.some((name) => isReady(tries[name], host.clock.now()))) return true
  return !(refused && !tried) && (await needsRenewal(host, site, times))
}
