import type { Host } from '#agent/host/ports.ts'
import { listSites } from '#agent/os/site/sites.ts'
import type { Requested } from './certificates.ts'
import { missingNames, needsRenewal } from './coverage.ts'
import { readRenewalTimes } from './renewal-times.ts'
import { isReady, isWaiting, readTries } from './tries.ts'

/**
 * Sites whose certificate is missing or due, or lacks a name whose next attempt is due. `refused`: only sites whose previous request was refused.
 */
export async function renewDue(host: Host, { refused = false } = {}): Promise<Requested[]> {
  const tries = await readTries(host)
  const times = await readRenewalTimes(host)
  const due: Requested[] = []
  for (const site of await listSites(host)) {
    const { domain, tls, email } = site
    if (isWaiting(tries[domain], host.clock.now())) continue
    const lacking = await missingNames(host, site)
    const isDue = lacking.some((name) => isReady(tries[name], host.clock.now()))
    const isOld = !(refused && !tries[domain]) && (await needsRenewal(host, site, times))
    if (isOld || isDue) due.push({ domain, tls, email })
  }
  return due
}
