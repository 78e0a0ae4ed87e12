import type { SiteRow } from '#dashboard/kernel/db/rows.ts'
import { chunksOf, yieldToEventLoop } from '#dashboard/kernel/runtime/yield-to-event-loop.ts'
import type { FoundSite } from '#shared/kernel/found-site.ts'
import { apexOf } from '#shared/kernel/names.ts'
import type { ReportedIdentity } from '#shared/kernel/site-identity.ts'
import type { TrashedSite } from '#shared/servers/agent.ts'
import type { KnownSite } from './queries.ts'
import { discoveredColumns, managedColumns, trashedColumns } from './site-columns.ts'

type SiteUpdate = Pick<SiteRow, 'id' | 'domain'> & {
  from: SiteRow['status']
  values: Partial<SiteRow>
}

export interface SyncPlan {
  updates: SiteUpdate[]
  imports: FoundSite[]
  /** The sites in the trash of the server that have no record. */
  trashed: TrashedSite[]
  /** The discovered sites whose name, with or without `www.`, another site of the server has. */
  others: number
  missing: number[]
}

/** The report of an agent, by domain; `whole` when the list is complete. */
export interface ReportedSites {
  sites: ReadonlyMap<string, FoundSite>
  whole: boolean
}

/** The trash of the agent, and the purge time of sites found there. */
export interface ReportedTrash {
  sites: ReadonlyMap<string, TrashedSite>
  whole: boolean
  purge_at: string
}

/** The foreign names that a managed site is reported with, by its domain. */
export type ForeignNames = ReadonlyMap<string, NonNullable<ReportedIdentity['foreign']>>

const PIECE = 500
const MISSING = 'The agent does not find the site any more'
const PURGED = 'The site is not in the trash of its server any more'
const BUSY: readonly SiteRow['status'][] = ['provisioning', 'deleting']
const GONE: readonly SiteRow['status'][] = ['active', 'suspended', 'missing', 'trashed']

/**
 * Compares the records with the report. A site keeps its state while an operation changes it: meanwhile
 * its server may not have it.
 */
export async function planSync(
  records: readonly KnownSite[],
  found: ReportedSites,
  trash?: ReportedTrash,
  foreign: ForeignNames = new Map(),
): Promise<SyncPlan> {
  const plan: SyncPlan = { updates: [], imports: [], trashed: [], others: 0, missing: [] }
  const domains = new Set(records.map(({ domain }) => domain))
  const renamed = sitesUnderOtherDomains(records, found, domains)
  for (const some of chunksOf(records, PIECE)) {
    for (const record of some) planRecord(plan, record, { found, trash, foreign, renamed })
    await yieldToEventLoop()
  }
  const taken = new Set(records.map(({ apex }) => apex))
  const known = new Set([...domains, ...renamed.values()])
  const unknown = [...found.sites.values()].filter(({ domain }) => !known.has(domain))
  plan.imports = await withFreeNames(unknown, taken)
  plan.others = unknown.length - plan.imports.length
  plan.trashed = await withFreeNames([...(trash?.sites.values() ?? [])], taken)
  return plan
}

/** Returns the sites whose name is not taken, of several with one name the first one. */
async function withFreeNames<T extends { domain: string }>(
  sites: readonly T[],
  taken: Set<string>,
) {
  const free: T[] = []
  for (const some of chunksOf(sites, PIECE)) {
    free.push(...some.filter((site) => isFree(site, taken)))
    await yieldToEventLoop()
  }
  return free
}

interface SyncReport {
  found: ReportedSites
  trash: ReportedTrash | undefined
  foreign: ForeignNames
  /** The reported domain of managed sites that are not there under their own. */
  renamed: ReadonlyMap<number, string>
}

/** Lists the managed sites that a server has under another domain, by their folder and user. */
function sitesUnderOtherDomains(
  records: readonly KnownSite[],
  { sites, whole }: ReportedSites,
  domains: ReadonlySet<string>,
): Map<number, string> {
  if (!whole) return new Map()
  const strangers = [...sites.values()].filter(({ domain }) => !domains.has(domain))
  const byFolder = new Map(strangers.map((site) => [`${site.user} ${site.docroot}`, site.domain]))
  return new Map(
    records.flatMap((record): [number, string][] => {
      const isGone = !record.found && !record.operating && !sites.has(record.domain)
      const domain = isGone ? byFolder.get(`${record.user} ${record.docroot}`) : undefined
      return domain === undefined ? [] : [[record.id, domain]]
    }),
  )
}

function planRecord(plan: SyncPlan, record: KnownSite, report: SyncReport): void {
  if (BUSY.includes(record.status)) return
  const { found, trash, foreign, renamed } = report
  const { id, status: from, domain } = record
  const site = found.sites.get(domain)
  if (!site && !found.whole) return
  const values = site
    ? siteChanges(record, site, foreign.get(domain))
    : { ...absentColumns(record, trash), ...reportedElsewhere(record, renamed.get(id)) }
  if (Object.keys(values).length > 0) plan.updates.push({ id, domain, from, values })
  if (values.status === 'missing') plan.missing.push(id)
}

function isFree({ domain }: { domain: string }, taken: Set<string>): boolean {
  const apex = apexOf(domain)
  if (taken.has(apex)) return false
  taken.add(apex)
  return true
}

/** Returns the changed columns of reported sites. Other work runs in between. */
export async function columnUpdates(
  records: readonly KnownSite[],
  found: ReportedSites,
  valuesOf: (record: KnownSite) => Partial<SiteRow>,
): Promise<SyncPlan['updates']> {
  const updates: SyncPlan['updates'] = []
  for (const some of chunksOf(records, PIECE)) {
    for (const record of some.filter(({ domain }) => found.sites.has(domain))) {
      const values = differences(record, valuesOf(record))
      const { id, domain, status: from } = record
      if (Object.keys(values).length > 0) updates.push({ id, domain, from, values })
    }
    await yieldToEventLoop()
  }
  return updates
}

/** Whether a site is not where it was, so that the trash of its server must be read. */
export function needsTrash(records: readonly KnownSite[], found: ReportedSites): boolean {
  return records.some(({ domain, status }) => GONE.includes(status) && !found.sites.has(domain))
}

function siteChanges(
  record: KnownSite,
  site: FoundSite,
  foreign: ReportedIdentity['foreign'],
): Partial<SiteRow> {
  const facts = record.found ? discoveredColumns(site) : managedColumns(record, site, foreign)
  const { status, operating } = record
  if (operating) return differences(record, facts)
  if (status === 'trashed')
    return differences(record, { ...facts, ...NOT_TRASHED, ...stateOf(record, site) })
  return differences(record, { ...facts, ...stateOf(record, site) })
}

/** Returns the state of a site that is back: only the agent knows whether it is suspended. */
function stateOf(record: KnownSite, { suspended }: FoundSite): Partial<SiteRow> {
  const status = suspended ? 'suspended' : 'active'
  return record.status === status ? {} : { status, status_reason: '' }
}

/** Records the reported domain beside that of the dashboard, which decides. */
function reportedElsewhere(record: KnownSite, domain: string | undefined): Partial<SiteRow> {
  if (domain !== undefined) return differences(record, { reported_identity: { domain } })
  return record.reported_identity?.domain === undefined ? {} : { reported_identity: null }
}

const NOT_TRASHED = { trashed_at: null, purge_at: null, trash_size: null }

/** Returns the columns of an absent site, with the whole time in the trash from now on. */
function absentColumns(record: KnownSite, trash: ReportedTrash | undefined): Partial<SiteRow> {
  const { status, domain, operating } = record
  if (operating || !GONE.includes(status)) return {}
  const kept = trash?.sites.get(domain)
  if (status === 'trashed') {
    const purged = trash?.whole && !kept
    return purged ? { status: 'missing', status_reason: PURGED, ...NOT_TRASHED } : {}
  }
  if (trash && kept) {
    const { deleted_at: trashed_at, size: trash_size } = kept
    const { purge_at } = trash
    const state = {
      status: 'trashed',
      status_reason: '',
      trashed_at,
      purge_at,
      trash_size,
    } as const
    return { ...state, ...differences(record, trashedColumns(record, kept)) }
  }
  return status === 'missing' ? {} : { status: 'missing', status_reason: MISSING }
}

function differences(record: KnownSite, values: Partial<SiteRow>): Partial<SiteRow> {
  return Object.fromEntries(
    Object.entries(values).filter(([column, value]) => !isSame(Reflect.get(record, column), value)),
  )
}

/** Compares objects from JSON, with their keys in the order of the agent. */
function isSame(one: unknown, other: unknown): boolean {
  return one === other || (Object(other) === other && JSON.stringify(one) === JSON.stringify(other))
}
