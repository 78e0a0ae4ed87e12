import type { Host } from '#agent/host/ports.ts'
import { keptUntil } from '#agent/os/backup/keep-state.ts'
import * as replace from '#agent/os/backup/replace.ts'
import { findReport } from '#agent/os/clone/report.ts'
import { findSite, type Site } from '#agent/os/site/sites.ts'
import type { AddressReport } from '#shared/copy.ts'
import type { Learned } from './refresh-steps.ts'

interface Replacement {
  domain: string
  at: string
  until: string
  addresses: AddressReport
}

/** The time of what was copied, and until when the previous state is kept. */
export function factsOf(host: Host, learned: Learned): replace.Facts {
  if (learned.at === undefined) throw new Error('Nothing was copied')
  learned.until = keptUntil(host)
  return { at: learned.at, until: learned.until }
}

export function resultOf({ domain }: Site, { at, until, addresses }: Learned): Replacement {
  if (at === undefined || until === undefined || !addresses) {
    throw new Error('The operation has no result')
  }
  return { domain, at, until, addresses }
}

export async function findResult(host: Host, domain: string): Promise<Replacement | undefined> {
  const site = await findSite(host, domain)
  const facts = site && (await replace.findPrevious(host, site.user))
  const report = site && (await findReport(host, site.user))
  return facts && report && { domain, ...facts, addresses: report.addresses }
}
