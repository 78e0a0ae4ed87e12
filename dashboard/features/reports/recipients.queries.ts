import { and, asc, eq, inArray, or, sql } from 'drizzle-orm'
import { writeIf } from '#dashboard/kernel/activity/queries.ts'
import { isOnServers } from '#dashboard/kernel/bulk/targets.queries.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { report_settings } from '#dashboard/kernel/db/reports-schema.ts'
import type { NewActivity } from '#dashboard/kernel/db/rows.ts'
import { sites } from '#dashboard/kernel/db/schema.ts'
import { isVisibleSite } from '#dashboard/kernel/http/visible.queries.ts'
import type { Visible } from '#dashboard/kernel/http/visible.ts'
import type { ReportSettings } from './mails.queries.ts'

interface Selected {
  site_ids: number[]
  server_ids: number[]
  tag?: string | undefined
  /** The sites that a client sees; undefined without a client. */
  ofClient: Visible | undefined
  /** Where the caller may change reports; undefined: in the whole fleet. */
  visible: Visible | undefined
}

/** Lists the selected sites in use that are not only discovered, with who gets their report. */
export async function listReportedSites(
  { read }: Database,
  { site_ids, server_ids, tag, ofClient, visible }: Selected,
) {
  const { enabled, enabled_at, recipients } = report_settings
  const rows = await read
    .select({
      ...{ site_id: sites.id, server_id: sites.server_id, domain: sites.domain },
      ...{ enabled, enabled_at, recipients },
    })
    .from(sites)
    .leftJoin(report_settings, eq(report_settings.site_id, sites.id))
    .where(
      and(
        inArray(sites.status, ['active', 'suspended', 'missing']),
        eq(sites.found, false),
        eq(sites.staging, false),
        or(
          inArray(sites.id, site_ids),
          isOnServers(sites.server_id, server_ids, tag),
          ofClient && isVisibleSite(ofClient),
        ),
        isVisibleSite(visible),
      ),
    )
    .orderBy(asc(sites.domain), asc(sites.id))
  return rows.map((row) => ({
    ...row,
    enabled: row.enabled ?? false,
    recipients: row.recipients ?? [],
  }))
}

export type ReportedSite = Awaited<ReturnType<typeof listReportedSites>>[number]

/** Replaces who gets a report. Returns false if it is no longer what was read. */
export function replaceReportSettings(
  db: Database,
  { site_id, enabled, recipients }: ReportedSite,
  set: Pick<ReportSettings, 'enabled' | 'enabled_at' | 'recipients'>,
  entry: NewActivity,
): Promise<boolean> {
  const known = sql`coalesce((select enabled || recipients from report_settings
    where site_id = ${site_id}), '0[]') = ${`${Number(enabled)}${JSON.stringify(recipients)}`}`
  return writeIf(db, known, entry, (queries) => [
    queries
      .insert(report_settings)
      .values({ site_id, ...set })
      .onConflictDoUpdate({ target: report_settings.site_id, set }),
  ])
}
