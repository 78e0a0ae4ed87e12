import { link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { connect, databaseFileOf } from '#dashboard/kernel/db/connect.ts'
import { copyToEmpty, isEmpty } from '#dashboard/kernel/db/copy-database.ts'
import { type DatabaseLock, lockDatabase } from '#dashboard/kernel/db/database-lock.ts'
import { codeOf } from '#dashboard/kernel/runtime/error-code.ts'
import { replaceFile, stampOf, syncPath } from '#dashboard/kernel/runtime/files.ts'
import type { DashboardRecords } from './back-up.ts'
import { BackupError, type Manifest } from './manifest.ts'
import { type Backup, verifySeal, verifyUnpacked, withBackup } from './read-backup.ts'
import { forgetRestored, markRestored } from './restored-mark.ts'

const NOT_EMPTY =
  'The database on the server is not empty: create a new one and set DATABASE_URL to it'

export interface RestoreResult {
  manifest: Manifest
  aside: string | undefined
  /** Whether the backup holds files of root that the recovery kit opens. */
  has_recovery: boolean
}

/** Replaces the database atomically, after all checks. Throws BackupError: nothing has changed. */
export function restore(
  path: string,
  records: DashboardRecords,
  now: Date,
): Promise<RestoreResult> {
  const file = databaseFileOf(records.database.url)
  return withBackup(path, async (backup) => {
    await mkdir(records.data_dir, { recursive: true, mode: 0o700 })
    const unpacked = `${file ?? `${records.data_dir}/dashboard.db`}.restoring`
    const lock = await lockFor(unpacked.replace(/\.restoring$/, ''))
    try {
      await removeDatabase(unpacked)
      await unpackChecked(backup, unpacked, records)
      const aside = file === undefined ? undefined : await keepPrevious(file, now)
      if (file === undefined) await refuseFull(records)
      await markRestored(records.data_dir, backup.manifest)
      await putSecrets(backup, records).catch(async (error: unknown) => {
        await forgetRestored(records.data_dir)
        throw error
      })
      if (file === undefined) await copyToServer(unpacked, records)
      else await replaceFile(unpacked, file)
      return { manifest: backup.manifest, aside, has_recovery: backup.has_recovery }
    } finally {
      await removeDatabase(unpacked)
      lock.close()
    }
  }).catch((error: unknown) => {
    if (codeOf(error) === 'ENOSPC') throw new BackupError('There is no space left to restore')
    throw error
  })
}

async function lockFor(file: string): Promise<DatabaseLock> {
  const lock = lockDatabase(file, 'alone')
  if (lock) return lock
  throw new BackupError(`A dashboard runs on ${file}, or another restore: stop it first`)
}

async function unpackChecked(
  backup: Backup,
  target: string,
  { data_dir }: DashboardRecords,
): Promise<void> {
  await backup.unpack(target)
  await verifyUnpacked(target, backup)
  await verifySeal(target, backup, data_dir)
}

/** Throws for a database on a server with tables: it cannot be replaced. */
async function refuseFull({ database }: DashboardRecords): Promise<void> {
  if (!(await isEmpty(database))) throw new BackupError(NOT_EMPTY)
}

async function copyToServer(
  unpacked: string,
  { data_dir, database }: DashboardRecords,
): Promise<void> {
  if (await copyToEmpty(unpacked, database)) return
  await forgetRestored(data_dir)
  throw new BackupError(NOT_EMPTY)
}

/**
 * Gives the previous database a second name, so that its own name always exists. Its write-ahead
 * log is merged first: otherwise SQLite would apply it to the restored one.
 */
async function keepPrevious(file: string, now: Date): Promise<string | undefined> {
  const present = await stat(file).catch(() => undefined)
  if (!present) return undefined
  await forgetNames(file, present.ino)
  await mergeWriteAheadLog(file).catch(() => undefined)
  const aside = await linkPrevious(file, `${file}.before-restore-${stampOf(now)}`)
  for (const end of ['-wal', '-shm', '-journal'])
    await rename(file + end, aside + end).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error
    })
  await syncPath(aside)
  return aside
}

/** Links a second name: two restores in one second get different names. */
async function linkPrevious(file: string, name: string): Promise<string> {
  for (let turn = 1; ; turn++) {
    const aside = turn === 1 ? name : `${name}-${turn}`
    const error = await link(file, aside).then(() => undefined, codeOf)
    if (error === undefined) return aside
    if (error !== 'EEXIST') throw new BackupError(`${aside} cannot be created (${error})`)
  }
}

/** Removes the second names that an interrupted restore gave the current database. */
async function forgetNames(file: string, inode: number): Promise<void> {
  const folder = dirname(file)
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${basename(file)}.before-restore-`)) continue
    const path = join(folder, name)
    if ((await stat(path)).ino === inode) await rm(path)
  }
}

async function mergeWriteAheadLog(file: string): Promise<void> {
  using client = connect({ url: `file:${file}` }, 1)
  await client.execute('PRAGMA journal_mode = DELETE')
}

/** Stores the secrets. With a new one for sessions, those that ended stay ended. */
async function putSecrets({ secret }: Backup, { data_dir }: DashboardRecords): Promise<void> {
  await rm(`${data_dir}/jwt-secret`, { force: true })
  if (secret && !(await stat(`${data_dir}/seal-secret`).catch(() => undefined))) {
    await using file = await open(`${data_dir}/seal-secret.restoring`, 'w', 0o600)
    await file.writeFile(`${secret.reveal()}\n`)
    await file.sync()
    await replaceFile(`${data_dir}/seal-secret.restoring`, `${data_dir}/seal-secret`)
  }
}

async function removeDatabase(file: string): Promise<void> {
  for (const end of ['', '-wal', '-shm', '-journal']) await rm(file + end, { force: true })
}
