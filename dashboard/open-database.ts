import { backUp } from '#dashboard/features/recovery/backup/back-up.ts'
import { BackupError } from '#dashboard/features/recovery/backup/manifest.ts'
import { pruneBackups } from '#dashboard/features/recovery/backup/prune-backups.ts'
import { type Database, openDatabase } from '#dashboard/kernel/db/client.ts'
import { databaseFileOf, storageFault } from '#dashboard/kernel/db/connect.ts'
import { type DatabaseLock, lockDatabase } from '#dashboard/kernel/db/database-lock.ts'
import { type KnownMigration, SchemaError } from '#dashboard/kernel/db/migrations.ts'
import { realClock } from '#dashboard/kernel/runtime/clock.ts'
import { codeOf } from '#dashboard/kernel/runtime/error-code.ts'
import { stampOf } from '#dashboard/kernel/runtime/files.ts'
import { type Config, databaseOf } from './config.ts'
import { StartError } from './start-error.ts'

const PREFIX = 'before-update-'
const MAX_BACKUPS = 3

/** Opens the migrated database, locked against a restore of its file. Throws StartError. */
export async function openRecords(
  config: Config,
  known?: readonly KnownMigration[],
): Promise<{ db: Database; lock: DatabaseLock | undefined }> {
  const { url, token } = databaseOf(config)
  const lock = lockRecords(url)
  try {
    return { lock, db: await openDatabase(url, token, () => backUpBeforeMigration(config), known) }
  } catch (error) {
    lock?.close()
    throw openError(error)
  }
}

/** Locks the file against a restore. A server has no lock. */
function lockRecords(url: string): DatabaseLock | undefined {
  const file = databaseFileOf(url)
  if (file === undefined) return undefined
  try {
    const lock = lockDatabase(file, 'shared')
    if (lock) return lock
  } catch (error) {
    throw openError(error)
  }
  throw new StartError('The database is being restored: start again when that has ended')
}

/** Backs the records up before a migration, which is forward only: the backup allows a rollback. */
async function backUpBeforeMigration(config: Config): Promise<void> {
  const records = { database: databaseOf(config), data_dir: config.DATA_DIR }
  const folder = `${config.DATA_DIR}/backups`
  const now = realClock.now()
  const name = `${PREFIX}${stampOf(now)}-${process.pid}`
  await backUp(records, `${folder}/`, { now, name })
  await pruneBackups(folder, PREFIX, MAX_BACKUPS, now)
}

function openError(error: unknown): StartError {
  if (error instanceof SchemaError)
    return new StartError(`The database cannot be used: ${error.message}`)
  if (error instanceof BackupError)
    return new StartError(
      `The database must be updated, and has to be backed up before: ${error.message}`,
    )
  const hint = 'check DATABASE_URL and DATABASE_AUTH_TOKEN, and that the database is running'
  const why = storageFault(error) ?? (codeOf(error) || 'unknown error')
  return new StartError(`The database cannot be opened (${why}): ${hint}`)
}
