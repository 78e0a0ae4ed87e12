import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import { ENDING } from '#dashboard/features/access/queries.ts'
import { IN_USE } from '#dashboard/features/backups/rule-parts.ts'
import { people, site_access } from '#dashboard/kernel/db/access-schema.ts'
import { isYounger } from '#dashboard/kernel/db/age.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { OPERATING } from '#dashboard/kernel/db/exclusion.ts'
import type { ServerRow, SiteRow } from '#dashboard/kernel/db/rows.ts'
import { servers, sites } from '#dashboard/kernel/db/schema.ts'

interface Due {
  now: Date
  /** The milliseconds after a failed attempt for which a site is left out; 0 leaves none out. */
  retry_ms: number
  /** Only the sites of this person. */
  person_id?: number
}

/** Lists the sites of online servers on which an access must end, without a failure within `retry_ms`. */
export function listToEnd(
  db: Database,
  { now, retry_ms, person_id }: Due,
): Promise<{ server: ServerRow; site: SiteRow }[]> {
  const failed = sql`exists (select 1 from operations where operations.site_id = sites.id
    and operations.type = 'site.access' and operations.status = 'failed'
    and ${isYounger(sql`operations.created_at`, retry_ms, now)})`
  return db.read
    .selectDistinct({ server: servers, site: sites })
    .from(site_access)
    .innerJoin(people, eq(people.id, site_access.person_id))
    .innerJoin(sites, eq(sites.id, site_access.site_id))
    .innerJoin(servers, eq(servers.id, sites.server_id))
    .where(
      and(
        ENDING,
        person_id === undefined ? undefined : eq(people.id, person_id),
        eq(servers.status, 'online'),
        inArray(sites.status, [...IN_USE]),
        sql`not ${OPERATING}`,
        sql`not ${failed}`,
      ),
    )
    .orderBy(asc(sites.id))
}
