import { reading } from '#agent/kernel/calls/reading.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { listSites } from '#agent/kernel/site/sites.ts'
import { diskLimits } from '#agent/kernel/site/tiers.ts'
import type { SiteUsage } from '#shared/metrics/site-usage.ts'
import { usageReading } from '#shared/sites/readings.ts'
import { readUsage } from './records.ts'

const UNKNOWN = { bytes: null, files: null, database_bytes: null, measured_at: null }

/** Returns the last disk use of each site of this agent, sorted by domain; measures nothing. */
export async function listUsage(host: Host): Promise<SiteUsage[]> {
  const measured = await readUsage(host)
  return (await listSites(host)).map(({ domain, user, tier }) => {
    const limits = diskLimits(tier)
    return {
      domain,
      ...(measured[user] ?? UNKNOWN),
      limit_bytes: limits.bytes,
      limit_files: limits.files,
    }
  })
}

export const usage = reading(usageReading, async ({ host }) => ({ sites: await listUsage(host) }))
