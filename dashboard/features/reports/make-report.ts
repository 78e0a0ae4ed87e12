import type { Database } from '#dashboard/kernel/db/client.ts'
import type { SiteRow } from '#dashboard/kernel/db/rows.ts'
import { invalid } from '#shared/kernel/errors.ts'
import { MAX_LISTED, type ReportFigures, type SiteReport } from '#shared/reports/api/report.ts'
import { addMonths, monthOf, startOf } from '#shared/reports/months.ts'
import { readBranding } from './branding.ts'
import {
  type CountedDays,
  countBackups,
  countDays,
  findCompared,
  findLastBackup,
  findLastProof,
  listStates,
  listVersionChanges,
  type SitePeriod,
} from './figures.queries.ts'
import { uptimeOf } from './uptime.ts'
import { isNewer } from './versions.ts'

/** The number of months before the current one that have a report. */
const MONTHS_BACK = 12
const DAY_MS = 24 * 3600_000

type ReportedSite = Pick<SiteRow, 'id' | 'domain' | 'created_at'>

/** Returns the first and the last month of which a site has a report, and the usual one. */
function monthsOf(site: Pick<SiteRow, 'created_at'>, now: Date) {
  const last = monthOf(now)
  const created = monthOf(new Date(site.created_at))
  const kept = addMonths(last, -MONTHS_BACK)
  const [, middle = last] = [created, kept, last].sort()
  const complete = addMonths(last, -1)
  return { first: middle, last, created, usual: complete < middle ? last : complete }
}

/** Returns the month that a call names, or the usual one. Throws 422 on `month`. */
export function monthFor(
  site: Pick<SiteRow, 'created_at'>,
  month: string | undefined,
  now: Date,
): string {
  const { first, last, created, usual } = monthsOf(site, now)
  if (month === undefined) return usual
  if (month > last) throw invalid({ month: ['Must not be in the future'] })
  if (month >= first) return month
  const why =
    first === created ? 'the site is on record since then' : 'the records before are deleted'
  throw invalid({ month: [`Must be ${first} or later: ${why}`] })
}

/** Computes the report of a month from the records. Throws 422 on `month`. */
export async function makeReport(
  db: Database,
  site: ReportedSite,
  asked: string | undefined,
  now: Date,
): Promise<SiteReport> {
  const month = monthFor(site, asked, now)
  const { first: first_month, last: last_month, created } = monthsOf(site, now)
  const period = periodOf(site.id, month, now)
  const { figures, outages, updates } = await readMonth(db, period)
  const before = addMonths(month, -1)
  const previous =
    before >= created ? (await readMonth(db, periodOf(site.id, before, now))).figures : null
  return {
    domain: site.domain,
    month,
    first_month,
    last_month,
    from: period.from,
    to: period.to,
    complete: month < last_month,
    branding: await readBranding(db),
    figures,
    previous,
    updates: updates.slice(-MAX_LISTED),
    outages: longest(outages, period.to),
    last_backup_at: await findLastBackup(db, period),
    last_proof: await findLastProof(db, period),
  }
}

function periodOf(site_id: number, month: string, now: Date): SitePeriod {
  const end = startOf(addMonths(month, 1))
  return {
    site_id,
    from: startOf(month).toISOString(),
    to: (end < now ? end : now).toISOString(),
  }
}

async function readMonth(db: Database, period: SitePeriod) {
  const { figures: uptime, outages } = uptimeOf(await listStates(db, period), period)
  const counted = await countDays(db, period)
  const { updates, made } = await readUpdates(db, period)
  const figures: ReportFigures = {
    uptime,
    traffic: trafficOf(counted, period),
    refused: refusedOf(counted, period),
    updates: made,
    backups: await countBackups(db, period),
  }
  return { figures, outages, updates }
}

function trafficOf(counted: CountedDays, period: SitePeriod): ReportFigures['traffic'] {
  const { days, first, requests, server_errors, php_requests, php_ms } = counted
  if (first === null) return null
  const response_ms = php_requests > 0 ? Math.round(php_ms / php_requests) : null
  const coverage = { since: sinceOf(first, period), days, of_days: daysIn(period) }
  return { ...coverage, requests, server_errors, response_ms }
}

function refusedOf(counted: CountedDays, period: SitePeriod): ReportFigures['refused'] {
  const { refused_days: days, refused_first: first, refused: requests } = counted
  if (first === null) return null
  return { since: sinceOf(first, period), days, of_days: daysIn(period), requests }
}

/** Returns the begin of the first day in ISO form if it is later than that of the period. */
function sinceOf(first: number, { from }: SitePeriod): string | null {
  const since = new Date(first * 1000).toISOString()
  return since > from ? since : null
}

const daysIn = ({ from, to }: SitePeriod): number =>
  Math.ceil((Date.parse(to) - Date.parse(from)) / DAY_MS)

/** Reads the updates of a period. A version that went back, as by a restore, is no update. */
async function readUpdates(db: Database, period: SitePeriod) {
  const compared = await findCompared(db, period.site_id)
  const { from, to } = period
  if (!compared || compared.since >= to || compared.scanned_at < from)
    return { updates: [], made: null }
  const changes = await listVersionChanges(db, period)
  const updates = changes.filter((change) => isNewer(change.to, change.from))
  const since = compared.since > from ? compared.since : null
  const until = compared.scanned_at < to ? compared.scanned_at : null
  return { updates, made: { since, until, made: updates.length } }
}

function longest(outages: SiteReport['outages'], end: string): SiteReport['outages'] {
  const length = ({ from, to }: SiteReport['outages'][number]) =>
    Date.parse(to ?? end) - Date.parse(from)
  return outages
    .toSorted((one, other) => length(other) - length(one))
    .slice(0, MAX_LISTED)
    .toSorted((one, other) => (one.from < other.from ? -1 : 1))
}
