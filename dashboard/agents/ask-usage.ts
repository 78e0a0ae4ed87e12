import { SiteUsage } from '#shared/agent.ts'
import type { DiskUse } from '#shared/api/disk-use.ts'
import type { Agents } from './agents.ts'

type Address = Parameters<Agents['get']>[0]

/**
 * What the sites that the agent created take on the disk, by domain; null for one that was never
 * measured. Undefined: the agent does not report it, as an older one, or not all of it, and what is on
 * record stays.
 */
export async function askUsage(
  agents: Agents,
  to: Address,
): Promise<Map<string, DiskUse | null> | undefined> {
  try {
    const { entries, total } = await agents.list(to, '/usage', { key: 'sites', entry: SiteUsage })
    return entries.length < total ? undefined : new Map(entries.map(measured))
  } catch {
    return undefined
  }
}

/** In this order of fields, since that on record is compared as text. */
function measured({ domain, measured_at, ...use }: SiteUsage): [string, DiskUse | null] {
  if (measured_at === null) return [domain, null]
  const { bytes, files, database_bytes, limit_bytes, limit_files } = use
  return [domain, { bytes, files, database_bytes, limit_bytes, limit_files, measured_at }]
}
