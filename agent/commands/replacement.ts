import type { Host } from '#agent/host/ports.ts'
import { keptUntil } from '#agent/os/backup/keep-state.ts'
import * as replace from '#agent/os/backup/replace.ts'
import { findReport } from '#agent/os/clone/report.ts'
import { getSite } from '#agent/os/site/sites.ts'
import type { AddressReport } from '#shared/copy.ts'

interface Replacement {
  domain: string
  at: string
  until: string
  addresses: AddressReport
}

/** The time of what was copied, and until when the previous state is kept. */
export const factsOf = (host: Host, { at }: { at: string }): replace.Facts => ({
  at,
  until: keptUntil(host),
})

/** From the machine, which has it as soon as the replacement is decided. */
export async function getResult(host: Host, domain: string): Promise<Replacement> {
  const { user } = await getSite(host, domain)
  const facts = await replace.findPrevious(host, user)
  const report = await findReport(host, user)
  if (!facts || !report) throw new Error('The operation has no result')
  return { domain, ...facts, addresses: report.addresses }
}
