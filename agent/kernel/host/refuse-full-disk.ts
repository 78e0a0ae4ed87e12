import { ADMIN_STATEMENTS } from './admin-statements.ts'
import type { AdminDatabase, Files } from './ports.ts'

const DATABASES = '/var/lib/mysql'
/** The minimum free space, more than a change of accounts and rights writes. */
const MIN_FREE = 2 ** 20
const WRITES = /^(CREATE|ALTER|GRANT|REVOKE) /

/**
 * Refuses statements that write while the disk of MariaDB is full. It would wait for space, a
 * minute at a time, with its table of accounts locked, and could apply them long after their undo.
 * Statements that drop something still work.
 */
export const refusingFullDisk = (
  database: AdminDatabase,
  files: Pick<Files, 'space'>,
): AdminDatabase => ({
  async admin(statement, values) {
    if (WRITES.test(ADMIN_STATEMENTS[statement])) await refuseFull(files)
    return database.admin(statement, values)
  },
})

async function refuseFull(files: Pick<Files, 'space'>): Promise<void> {
  const space = await files.space(DATABASES).catch(() => undefined)
  if (!space || space.free >= MIN_FREE) return
  throw new Error(`no space left on device: ${DATABASES} has ${space.free} bytes free`)
}
