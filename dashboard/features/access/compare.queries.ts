import { and, eq, sql } from 'drizzle-orm'
import { site_logins } from '#dashboard/kernel/db/access-schema.ts'
import { type Database, writeAll } from '#dashboard/kernel/db/client.ts'
import { preparedQuery } from '#dashboard/kernel/db/prepared-query.ts'
import { sites } from '#dashboard/kernel/db/schema.ts'
import type { ReportedAccess } from '#shared/access/site-access.ts'

export type RecordedAccess = Awaited<ReturnType<typeof listRecordedAccess>>

const SERVER_ID = sql.placeholder('server_id')

const selectRecorded = preparedQuery((read) =>
  read
    .select({
      site_id: site_logins.site_id,
      domain: sites.domain,
      report: site_logins.report,
      text: sql<string>`${site_logins.report}`,
    })
    .from(site_logins)
    .innerJoin(sites, eq(sites.id, site_logins.site_id))
    .where(and(eq(sites.server_id, SERVER_ID), eq(site_logins.server_id, SERVER_ID)))
    .prepare(),
)

/** Lists what is recorded of the sites of a server, which is read before its agent is asked. */
export const listRecordedAccess = (db: Database, server_id: number) =>
  selectRecorded(db).all({ server_id })

/**
 * Makes the records of a server agree with who can log in there. A report that an operation has
 * stored meanwhile is newer, and stays.
 */
export async function compareAccess(
  db: Database,
  server_id: number,
  rows: RecordedAccess,
  found: readonly ReportedAccess[],
): Promise<void> {
  const accessOf = new Map(found.map(({ domain, ...access }) => [domain, access]))
  const changed = rows.flatMap(({ domain, report, ...row }) => {
    const { grants, clients } = accessOf.get(domain) ?? { grants: [], clients: [] }
    if (isSame([grants, clients], [report.grants, report.clients])) return []
    return [{ ...row, report: { ...report, grants, clients } }]
  })
  await writeAll(db, (queries) =>
    changed.map(({ site_id, report, text }) => {
      const own = and(eq(site_logins.site_id, site_id), eq(site_logins.server_id, server_id))
      const unchanged = sql`${site_logins.report} = ${text}`
      return queries.update(site_logins).set({ report }).where(and(own, unchanged))
    }),
  )
}

/** Compares two values that both have the order of fields of their schema. */
const isSame = (one: object, other: object) => JSON.stringify(one) === JSON.stringify(other)
