import { and, asc, desc, eq, inArray, lt, lte, ne, or, sql } from 'drizzle-orm'
import { type Database, writeAll } from '#dashboard/kernel/db/client.ts'
import { report_mails, report_settings } from '#dashboard/kernel/db/reports-schema.ts'
import type { NewActivity, SiteRow } from '#dashboard/kernel/db/rows.ts'
import { activities, operations, servers, sites } from '#dashboard/kernel/db/schema.ts'
import type { SentReport } from '#shared/reports/api/report.ts'

export type ReportSettings = typeof report_settings.$inferSelect

export async function findReportSettings(
  db: Database,
  site_id: number,
): Promise<ReportSettings | undefined> {
  const [row] = await db.read
    .select()
    .from(report_settings)
    .where(eq(report_settings.site_id, site_id))
  return row
}

/** Saves who gets the report; a time at which it was turned on stays while it is on. */
export async function saveReportSettings(
  db: Database,
  row: ReportSettings,
  entry: NewActivity,
): Promise<void> {
  const { site_id: _, ...set } = row
  const enabled_at = row.enabled
    ? sql`case when ${report_settings.enabled} then ${report_settings.enabled_at} else ${row.enabled_at} end`
    : null
  await writeAll(db, (queries) => [
    queries
      .insert(report_settings)
      .values(row)
      .onConflictDoUpdate({ target: report_settings.site_id, set: { ...set, enabled_at } }),
    queries.insert(activities).values(entry),
  ])
}

const MAX_SENT = 24

export function listSent(db: Database, site_id: number): Promise<SentReport[]> {
  const { month, state, at, attempts, recipients, refused, answer } = report_mails
  return db.read
    .select({ month, state, at, attempts, recipients, refused, answer })
    .from(report_mails)
    .where(eq(report_mails.site_id, site_id))
    .orderBy(desc(month))
    .limit(MAX_SENT)
}

/** How often a report that was refused is sent again, and after which time. */
export interface RetryRule {
  attempts: number
  /** The latest start of the last attempt. */
  before: string
}

interface Claim {
  site_id: number
  month: string
  at: string
  recipients: readonly string[]
  /** The rule for an automatic attempt; null: a person sends it, whatever the last outcome was. */
  retry: RetryRule | null
}

/**
 * Claims the report of a month before it is sent. The constraint decides between two dashboards.
 * Returns false when the report is being sent, or was sent, or must not be sent automatically.
 */
export async function claimReport(db: Database, claim: Claim): Promise<boolean> {
  const { site_id, month, at, recipients, retry } = claim
  const { state, attempts } = report_mails
  const set = {
    state: 'sending' as const,
    at,
    recipients: [...recipients],
    refused: [],
    answer: '',
  }
  const isFree = retry
    ? and(eq(state, 'failed'), lt(attempts, retry.attempts), lte(report_mails.at, retry.before))
    : ne(state, 'sending')
  const claimed = await db.write((queries) =>
    queries
      .insert(report_mails)
      .values({ site_id, month, attempts: 1, ...set })
      .onConflictDoUpdate({
        target: [report_mails.site_id, report_mails.month],
        set: { ...set, attempts: sql`${attempts} + 1` },
        ...(isFree && { setWhere: isFree }),
      })
      .returning({ at: report_mails.at }),
  )
  return claimed.length > 0
}

/** Records the outcome of an attempt, unless its report was claimed again since. */
export async function endReport(
  db: Database,
  { site_id, month, at }: Pick<Claim, 'site_id' | 'month' | 'at'>,
  outcome: Pick<SentReport, 'state' | 'answer' | 'refused'>,
  entry: NewActivity,
): Promise<void> {
  const same = and(
    eq(report_mails.site_id, site_id),
    eq(report_mails.month, month),
    eq(report_mails.at, at),
  )
  await writeAll(db, (queries) => [
    queries.update(report_mails).set(outcome).where(same),
    queries.insert(activities).values(entry),
  ])
}

/** Marks attempts as unclear whose dashboard has ended: nobody records their outcome any more. */
export async function endInterrupted(db: Database, before: string, answer: string): Promise<void> {
  const interrupted = and(eq(report_mails.state, 'sending'), lte(report_mails.at, before))
  const found = await db.read
    .select({ at: report_mails.at })
    .from(report_mails)
    .where(interrupted)
    .limit(1)
  if (found.length === 0) return
  await db.write((queries) =>
    queries.update(report_mails).set({ state: 'unclear', answer }).where(interrupted),
  )
}

export interface DueReport {
  site: SiteRow
  recipients: string[]
}

interface DueRule {
  month: string
  /** The time from which the reports of the month are sent. */
  due_at: string
  /** The end of the month: a site that was created later has no report. */
  month_end: string
  retry: RetryRule
  limit: number
}

/** Lists sites in use whose report of a month is on, was on when it became due, and is not sent. */
export function listDueReports(db: Database, rule: DueRule): Promise<DueReport[]> {
  const { month, due_at, month_end, retry, limit } = rule
  const { enabled, enabled_at, recipients } = report_settings
  const isOpen = or(
    sql`${report_mails.state} is null`,
    and(
      eq(report_mails.state, 'failed'),
      lt(report_mails.attempts, retry.attempts),
      lte(report_mails.at, retry.before),
    ),
  )
  return db.read
    .select({ site: sites, recipients })
    .from(report_settings)
    .innerJoin(sites, eq(sites.id, report_settings.site_id))
    .leftJoin(report_mails, and(eq(report_mails.site_id, sites.id), eq(report_mails.month, month)))
    .where(
      and(
        eq(enabled, true),
        lte(enabled_at, due_at),
        inArray(sites.status, ['active', 'suspended']),
        eq(sites.found, false),
        lt(sites.created_at, month_end),
        isOpen,
      ),
    )
    .orderBy(asc(sites.id))
    .limit(limit)
}

/** Lists WordPress sites with a report that were not scanned since then, and not tried to be. */
export function listScanDue(db: Database, { since, limit }: { since: string; limit: number }) {
  const tried = sql`exists (select 1 from ${operations} where ${operations.site_id} = ${sites.id}
    and ${operations.type} = 'site.scan' and ${operations.created_at} > ${since})`
  return db.read
    .select({ site: sites, server: servers })
    .from(report_settings)
    .innerJoin(sites, eq(sites.id, report_settings.site_id))
    .innerJoin(servers, eq(servers.id, sites.server_id))
    .where(
      and(
        eq(report_settings.enabled, true),
        eq(sites.status, 'active'),
        eq(sites.found, false),
        eq(sites.framework, 'wordpress'),
        eq(servers.status, 'online'),
        sql`coalesce(${sites.last_scan}, '') <= ${since}`,
        sql`not ${tried}`,
      ),
    )
    .orderBy(asc(sites.last_scan), asc(sites.id))
    .limit(limit)
}
