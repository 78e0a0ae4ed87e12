import { z } from 'zod'
import { KnownRepository, SnapshotId } from '#shared/backups/backup.ts'

const amount = z.int().nonnegative()

const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'Must be a SHA-256')

/** The rows of a table, and its definition as the server of the site writes it. */
export const CopiedTable = z.object({
  table: z.string().max(256),
  rows: amount,
  sha256: Sha256,
  definition: Sha256.optional(),
})
export type CopiedTable = z.infer<typeof CopiedTable>

/** The maximum number of tables; a site with more brings its whole dump. */
export const MAX_TABLES = 2000
export const CopiedTables = z.array(CopiedTable).max(MAX_TABLES)

/** What a server saved of a site that moves, for the copy on the other server. It is no backup. */
export const Gathered = z.object({
  at: z.iso.datetime(),
  files: z.object({
    snapshot: SnapshotId,
    count: amount,
    bytes: amount,
    /** The snapshot of the copy, if no file differs from it. */
    same_as: SnapshotId.optional(),
  }),
  /** The dump of the database; null when no table differs from those of the copy. */
  database: z.object({ snapshot: SnapshotId, bytes: amount, sha256: Sha256 }).nullable(),
  /** All tables, if the dump has only those that differ from the copy. */
  tables: CopiedTables.optional(),
})
export type Gathered = z.infer<typeof Gathered>

/** The repository of a site that was backed up before. */
export const Gathering = KnownRepository
export type Gathering = z.output<typeof Gathering>
