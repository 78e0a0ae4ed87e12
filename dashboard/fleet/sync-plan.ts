import type { SiteRow } from '#dashboard/db/rows.ts'
import type { FoundSite } from '#shared/agent.ts'

/** What a sync changes: pure data, for one batch. */
export interface SyncPlan {
  updates: { id: number; values: Partial<SiteRow> }[]
  imports: FoundSite[]
  missing: number[]
}

const MISSING = 'The agent does not find the site any more'

/**
 * Compares the records as they were before the agent was asked with what it found. A site that an
 * operation works on is left alone, in whichever of the two it is.
 */
export function planSync(records: readonly SiteRow[], found: readonly FoundSite[]): SyncPlan {
  const present = new Map(found.map((site) => [site.domain, site]))
  const plan: SyncPlan = { updates: [], imports: [], missing: [] }
  for (const record of records) {
    const site = present.get(record.domain)
    present.delete(record.domain)
    if (record.status === 'provisioning' || record.status === 'deleting') continue
    const values = site ? changes(record, site) : lost(record)
    if (Object.keys(values).length > 0) plan.updates.push({ id: record.id, values })
    if (values.status === 'missing') plan.missing.push(record.id)
  }
  plan.imports.push(...present.values())
  return plan
}

/** The columns that a found site fills. */
export function factsOf({ updates, domain: _, ...facts }: FoundSite): Partial<SiteRow> {
  return {
    ...facts,
    updates_plugins: updates.plugins,
    updates_themes: updates.themes,
    updates_core: updates.core,
  }
}

function changes(record: SiteRow, site: FoundSite): Partial<SiteRow> {
  const back = record.status === 'missing' || record.status === 'failed'
  const state = back ? { status: 'active' as const, status_reason: '' } : {}
  return differences(record, { ...factsOf(site), ...state })
}

function lost({ status }: SiteRow): Partial<SiteRow> {
  if (status !== 'active' && status !== 'suspended') return {}
  return { status: 'missing', status_reason: MISSING }
}

function differences(record: SiteRow, values: Partial<SiteRow>): Partial<SiteRow> {
  const before = new Map(Object.entries(record))
  return Object.fromEntries(
    Object.entries(values).filter(([column, value]) => before.get(column) !== value),
  )
}
