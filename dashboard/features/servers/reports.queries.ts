import { sql } from 'drizzle-orm'
import type { Queries, Statement } from '#dashboard/kernel/db/client.ts'
import type { MailTroubles } from '#dashboard/kernel/db/mail-trouble.ts'
import type { SiteJobTrouble } from '#shared/jobs/site-jobs.ts'
import type { ServerWeb } from '#shared/sites/api/web.ts'
import type { Maintenance } from '#shared/updates/maintenance.ts'

/** The last reports of a server; the record of one that the agent does not report stays. */
export interface Reports {
  maintenance?: Maintenance | undefined
  troubles?: MailTroubles | undefined
  web?: ServerWeb | undefined
  jobs?: SiteJobTrouble[] | undefined
}

const TABLES = {
  maintenance: 'server_maintenance',
  troubles: 'server_mail',
  web: 'server_web',
  jobs: 'server_jobs',
} as const

/** Stores the reports of a sync; unchanged ones are not written. */
export function reportStatements(
  queries: Queries,
  { server_id, now }: { server_id: number; now: string },
  reports: Reports,
): Statement[] {
  return (['maintenance', 'troubles', 'web', 'jobs'] as const).flatMap((column) => {
    if (reports[column] === undefined) return []
    const [table, name] = [sql.identifier(TABLES[column]), sql.identifier(column)]
    return queries.run(sql`
      insert into ${table} (server_id, ${name}, at)
      values (${server_id}, ${JSON.stringify(reports[column])}, ${now})
      on conflict (server_id) do update set ${name} = excluded.${name}, at = excluded.at
      where ${table}.${name} <> excluded.${name}`)
  })
}
