import { sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { SiteJobTrouble } from '#shared/jobs/site-jobs.ts'
import { serverKey } from './schema.ts'

/** The sites of a server whose jobs fail or stand still, as last reported. */
export const server_jobs = sqliteTable('server_jobs', {
  server_id: serverKey(),
  jobs: text({ mode: 'json' }).$type<SiteJobTrouble[]>().notNull(),
  at: text().notNull(),
})
