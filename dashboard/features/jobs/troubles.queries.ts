import { and, asc, eq, inArray, ne, sql } from 'drizzle-orm'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { server_jobs } from '#dashboard/kernel/db/jobs-schema.ts'
import { servers, sites } from '#dashboard/kernel/db/schema.ts'
import type { SiteJobTrouble } from '#shared/jobs/site-jobs.ts'

type SiteName = Pick<typeof sites.$inferSelect, 'id' | 'server_id' | 'domain'>

/** Lists the sites of online servers whose jobs fail or stand still, without suspended ones. */
export async function listJobTroubles(
  db: Database,
): Promise<{ site: SiteName; trouble: SiteJobTrouble }[]> {
  const reported = await db.read
    .select({ id: servers.id, jobs: server_jobs.jobs })
    .from(server_jobs)
    .innerJoin(servers, eq(servers.id, server_jobs.server_id))
    .where(and(eq(servers.status, 'online'), ne(server_jobs.jobs, sql`'[]'`)))
    .orderBy(asc(servers.name), asc(servers.id))
  const domains = reported.flatMap(({ jobs }) => jobs.map(({ domain }) => domain))
  const { id, server_id, domain } = sites
  const known = await db.read
    .select({ id, server_id, domain })
    .from(sites)
    .where(and(inArray(domain, domains), eq(sites.status, 'active')))
  return reported.flatMap((server) =>
    server.jobs.flatMap((trouble) => {
      const site = known.find((one) => one.server_id === server.id && one.domain === trouble.domain)
      return site ? [{ site, trouble }] : []
    }),
  )
}
