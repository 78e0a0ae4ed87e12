import { keptUntil } from '#agent/features/backups/previous-state.ts'
import * as replace from '#agent/features/backups/replace.ts'
import { findReport } from '#agent/features/copies/clone/report.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { getSite } from '#agent/kernel/site/sites.ts'
import type { AddressReport } from '#shared/copies/copy-source.ts'

interface ReplacementResult {
  domain: string
  at: string
  until: string
  addresses: AddressReport
}

/** Returns the time of the copied content, and the time until which the previous state is kept. */
export const previousStateOf = (host: Host, { at }: { at: string }): replace.PreviousState => ({
  at,
  until: keptUntil(host),
})

/** Reads the result from the machine, which has it as soon as the replacement is decided. */
export async function getReplacementResult(host: Host, domain: string): Promise<ReplacementResult> {
  const { user } = await getSite(host, domain)
  const facts = await replace.findPreviousState(host, user)
  const report = await findReport(host, user)
  if (!facts || !report) throw new Error('The operation has no result')
  return { domain, ...facts, addresses: report.addresses }
}
