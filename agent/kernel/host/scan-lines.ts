import { z } from 'zod'
import { Application, DatabaseAnswer, ScannedWordpress, TenantSite } from './scanner-port.ts'

/** The socket of Debian's MariaDB. */
export const MARIADB_SOCKET = '/run/mysqld/mysqld.sock'

/** The maximum line length in both directions. */
export const MAX_LINE_BYTES = 8 << 20

const read = <T extends z.ZodType>(answer: T) =>
  z.object({ answer, unsure: z.boolean(), owner: z.string().max(255) })

/** The answers of each kind of scan; null for none. */
export const SCAN_ANSWERS = {
  inventory: read(ScannedWordpress.nullable()),
  application: read(Application),
  database: read(DatabaseAnswer),
  databasePassword: read(z.string().max(4096).nullable()),
} as const
export type ScanKind = keyof typeof SCAN_ANSWERS

export const ScanRequest = z.object({
  id: z.number().int(),
  kind: z.enum(['inventory', 'application', 'database', 'databasePassword']),
  site: TenantSite,
  facts: z.string().optional(),
})
export type ScanRequest = z.infer<typeof ScanRequest>

/** `reading` reports the time in which a scan reads files; only one reads at a time. */
export const ScanLine = z.union([
  z.object({ id: z.number(), reading: z.boolean() }),
  z.object({ id: z.number(), error: z.string() }),
  z.object({ id: z.number(), result: z.unknown() }),
])
export type ScanLine = z.infer<typeof ScanLine>
