import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { backup_kits, backup_targets } from './backup-schema.ts'
import { sites } from './schema.ts'

/**
 * The repositories in a target, and their passwords, encrypted to the key of a kit; null: no backup
 * was made yet. `site_id`: the site that has it; null: none, or it was deleted. `is_shared`: servers
 * without a record may know the password, such as those of another dashboard: no backup goes there.
 */
export const backup_repositories = sqliteTable(
  'backup_repositories',
  {
    target_id: integer()
      .notNull()
      .references(() => backup_targets.id),
    name: text().notNull(),
    kit_id: integer()
      .notNull()
      .references(() => backup_kits.id),
    sealed_password: text(),
    site_id: integer().references(() => sites.id, { onDelete: 'set null' }),
    is_shared: integer({ mode: 'boolean' }).notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.target_id, table.name] }),
    index('backup_repositories_site').on(table.site_id),
  ],
)

/**
 * The servers that know the password of a repository, recorded before it is sent. They outlive
 * server, target and repository: what was known stays known, and no name is used again.
 */
export const backup_repository_servers = sqliteTable(
  'backup_repository_servers',
  {
    target_id: integer().notNull(),
    name: text().notNull(),
    server_id: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.target_id, table.name, table.server_id] })],
)
