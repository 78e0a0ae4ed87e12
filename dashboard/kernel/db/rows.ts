import type {
  activities,
  bulk_items,
  bulk_operations,
  operations,
  servers,
  sites,
  users,
} from './schema.ts'

export type UserRow = typeof users.$inferSelect
export type ServerRow = typeof servers.$inferSelect
export type SiteRow = typeof sites.$inferSelect
export type NewSite = typeof sites.$inferInsert
export type OperationRow = typeof operations.$inferSelect
export type BulkRow = typeof bulk_operations.$inferSelect
export type BulkItemRow = typeof bulk_items.$inferSelect
export type ActivityRow = typeof activities.$inferSelect
export type NewActivity = typeof activities.$inferInsert
