import { and, asc, desc, eq, gt, inArray, sql } from 'drizzle-orm'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { server_mail } from '#dashboard/kernel/db/mail-schema.ts'
import { report_mails, report_settings } from '#dashboard/kernel/db/reports-schema.ts'
import { servers, sites } from '#dashboard/kernel/db/schema.ts'
import { isVisibleSite } from '#dashboard/kernel/http/visible.queries.ts'
import type { Visible } from '#dashboard/kernel/http/visible.ts'

export function listMailTroubles(db: Database) {
  return db.read
    .select({ id: servers.id, name: servers.name, troubles: server_mail.troubles })
    .from(server_mail)
    .innerJoin(servers, eq(servers.id, server_mail.server_id))
    .where(and(eq(servers.status, 'online'), sql`${server_mail.troubles} ->> '$.total' > 0`))
    .orderBy(asc(servers.name), asc(servers.id))
}

export function listSitesNamed(db: Database, domains: readonly string[]) {
  return db.read
    .select({ id: sites.id, server_id: sites.server_id, domain: sites.domain })
    .from(sites)
    .where(inArray(sites.domain, [...domains]))
}

export function listSitesWith(db: Database, ids: readonly number[]) {
  return db.read
    .select({ id: sites.id, server_id: sites.server_id, domain: sites.domain })
    .from(sites)
    .where(inArray(sites.id, [...ids]))
}

/** Lists the failed and unclear reports since then of sites whose report is on, newest first. */
export function listReportTroubles(
  db: Database,
  { since, limit, visible }: { since: string; limit: number; visible?: Visible | undefined },
) {
  const { month, state, answer, at, site_id } = report_mails
  return db.read
    .select({
      id: sites.id,
      server_id: sites.server_id,
      domain: sites.domain,
      month,
      state,
      answer,
      at,
      total: sql<number>`count(*) over ()`,
    })
    .from(report_mails)
    .innerJoin(sites, eq(sites.id, site_id))
    .innerJoin(report_settings, eq(report_settings.site_id, site_id))
    .where(
      and(
        inArray(state, ['failed', 'unclear']),
        eq(report_settings.enabled, true),
        gt(at, since),
        isVisibleSite(visible),
      ),
    )
    .orderBy(desc(at), asc(sites.id))
    .limit(limit)
}
