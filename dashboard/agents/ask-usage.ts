import { SiteUsage } from '#shared/agent.ts'
import type { DiskUse } from '#shared/api/disk-use.ts'
import type { Agents } from './agents.ts'

type Address = Parameters<Agents['get']>[0]

/**
 * The disk use of the managed sites by domain; null if never measured. Undefined: the agent does
 * not report it, or not completely, and the record stays.
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

/** In this order of fields, since records are compared as text. */
function measured({ domain, measured_at, ...use }: SiteUsage): [string, DiskUse | null] {
  if (measured_at === null) return [domain, null]
  const { bytes, files, database_bytes, limit_bytes, limit_files } = use
  return [domain, { bytes, files, database_bytes, limit_bytes, limit_files, measured_at }]
}
