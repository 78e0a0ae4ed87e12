import { keptUntil } from '#agent/features/backups/keep-state.ts'
import * as replace from '#agent/features/backups/replace.ts'
import { findReport } from '#agent/features/copies/clone/report.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { getSite } from '#agent/kernel/site/sites.ts'
import type { AddressReport } from '#shared/copies/copy.ts'

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
