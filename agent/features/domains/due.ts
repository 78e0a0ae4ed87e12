import type { Host } from '#agent/kernel/host/ports.ts'
import { findSite, listSites, type Site } from '#agent/kernel/site/sites.ts'
import { missingNames, needsRenewal } from './coverage.ts'
import type { Requested } from './present.ts'
import { type RenewalTimes, readRenewalTimes } from './renewal-times.ts'
import { isReady, isWaiting, readTries } from './tries.ts'

export interface Which {
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
export async function findDue(
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
