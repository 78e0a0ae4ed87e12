import { integer, sqliteTable } from 'drizzle-orm/sqlite-core'

const amount = () => integer().notNull()
const readings = () => ({
  cpu: amount(),
  ram_used: amount(),
  ram_total: amount(),
  disk_used: amount(),
  disk_total: amount(),
  load1: amount(),
  load5: amount(),
  load15: amount(),
})

/**
 * One reading per minute. `key` combines the server's id and the time in one number
 * (metrics/key.ts), so that readings of a server are adjacent and need no index. `cpu` is in tenths
 * of a percent, loads are in hundredths, sizes in MB.
 */
export const metrics_minutes = sqliteTable('metrics_minutes', {
  key: integer().primaryKey(),
  ...readings(),
})

/** The averages of 15 minutes, and the highest `cpu` among them. */
export const metrics_quarters = sqliteTable('metrics_quarters', {
  key: integer().primaryKey(),
  ...readings(),
  cpu_max: amount(),
})
