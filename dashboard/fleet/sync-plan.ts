import type { SiteRow } from '#dashboard/db/rows.ts'
import type { FoundSite, TrashedSite } from '#shared/agent.ts'

/** What a sync changes: pure data, for one batch. `from` is the state that an update starts from. */
export interface SyncPlan {
  updates: { id: number; from: SiteRow['status']; values: Partial<SiteRow> }[]
  imports: FoundSite[]
  /** In the trash of the server and on no record of it. */
  trashed: readonly TrashedSite[]
  missing: number[]
}

/** What the agent has in its trash, and when a site found there is purged. */
export interface FoundTrash {
  sites: readonly TrashedSite[]
  purge_at: string
}

const MISSING = 'The agent does not find the site any more'
const PURGED = 'The site is not in the trash of its server any more'
const BUSY: readonly SiteRow['status'][] = ['provisioning', 'deleting']
const GONE: readonly SiteRow['status'][] = ['active', 'suspended', 'missing', 'trashed']

/**
 * Compares the records as they were before the agent was asked with what it found. A site that an
 * operation works on is left alone, in whichever of the two it is.
 */
export function planSync(
  records: readonly SiteRow[],
  found: readonly FoundSite[],
  trash?: FoundTrash,
): SyncPlan {
  const present = new Map(found.map((site) => [site.domain, site]))
  const known = new Set(records.map(({ domain }) => domain))
  const trashed = trash?.sites.filter(({ domain }) => !known.has(domain)) ?? []
  const plan: SyncPlan = { updates: [], imports: [], trashed, missing: [] }
  for (const record of records) {
    const site = present.get(record.domain)
    present.delete(record.domain)
    if (BUSY.includes(record.status)) continue
    const { id, status: from } = record
    const values = site ? changes(record, site) : absent(record, trash)
    if (Object.keys(values).length > 0) plan.updates.push({ id, from, values })
    if (values.status === 'missing') plan.missing.push(id)
  }
  plan.imports.push(...present.values())
  return plan
}

/**
 * Where the certificate of a site that was found ends at another time than its record says: the agent
 * renews them by itself. `ends`: by domain, of those that have one.
 */
export function certificateUpdates(
  records: readonly SiteRow[],
  found: readonly FoundSite[],
  ends: ReadonlyMap<string, string>,
): SyncPlan['updates'] {
  const present = new Set(found.map(({ domain }) => domain))
  return records
    .filter(({ domain }) => present.has(domain))
    .map(({ id, status: from, domain, certificate_expires_at: before }) => {
      const certificate_expires_at = ends.get(domain) ?? ''
      return { id, from, values: { certificate_expires_at }, before }
    })
    .filter(({ values, before }) => values.certificate_expires_at !== before)
    .map(({ before: _, ...update }) => update)
}

/** Whether a site is not where it was, and the trash of its server would tell why. */
export function isTrashAsked(records: readonly SiteRow[], found: readonly FoundSite[]): boolean {
  const present = new Set(found.map(({ domain }) => domain))
  return records.some(({ domain, status }) => GONE.includes(status) && !present.has(domain))
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
  const facts = factsOf(site)
  const { status } = record
  if (status === 'trashed') return differences(record, { ...facts, ...BACK, ...NOT_TRASHED })
  const back = status === 'missing' || status === 'failed'
  return differences(record, { ...facts, ...(back ? BACK : {}) })
}

const BACK = { status: 'active', status_reason: '' } as const
const NOT_TRASHED = { trashed_at: null, purge_at: null, trash_size: null }

/** A site that only its server has thrown away gets its whole time in the trash from now on. */
function absent(record: SiteRow, trash: FoundTrash | undefined): Partial<SiteRow> {
  const { status, domain } = record
  if (!GONE.includes(status)) return {}
  const kept = trash?.sites.find((site) => site.domain === domain)
  if (status === 'trashed') {
    const gone = trash && !kept
    return gone ? { status: 'missing', status_reason: PURGED, ...NOT_TRASHED } : {}
  }
  if (trash && kept) {
    const { deleted_at: trashed_at, size: trash_size } = kept
    const { purge_at } = trash
    return { status: 'trashed', status_reason: '', trashed_at, purge_at, trash_size }
  }
  return status === 'missing' ? {} : { status: 'missing', status_reason: MISSING }
}

function differences(record: SiteRow, values: Partial<SiteRow>): Partial<SiteRow> {
  const before = new Map(Object.entries(record))
  return Object.fromEntries(
    Object.entries(values).filter(([column, value]) => before.get(column) !== value),
  )
}
