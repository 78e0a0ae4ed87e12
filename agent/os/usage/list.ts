import type { Host } from '#agent/host/ports.ts'
import { listSites } from '#agent/os/site/sites.ts'
import { diskLimits } from '#agent/os/site/tiers.ts'
import type { SiteUsage } from '#shared/agent.ts'
import { readMeasured } from './records.ts'

const UNKNOWN = { bytes: null, files: null, database_bytes: null, measured_at: null }

/** What each site of this agent took when it was measured last, sorted by domain; nothing is measured. */
export async function listUsage(host: Host): Promise<SiteUsage[]> {
  const measured = await readMeasured(host)
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
