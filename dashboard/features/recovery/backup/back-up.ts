import { randomBytes } from 'node:crypto'
import { access, mkdir, open, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { findRecovery, RECOVERY } from '#dashboard/features/backups/recovery-file.ts'
import {
  connect,
  type DatabaseAddress,
  databaseFileOf,
  storageFault,
} from '#dashboard/kernel/db/connect.ts'
import { copyToFile } from '#dashboard/kernel/db/copy-database.ts'
import { countRows, damagesOf } from '#dashboard/kernel/db/inspect.ts'
import { appliedMigrations } from '#dashboard/kernel/db/migrations.ts'
import { digestOf } from '#dashboard/kernel/runtime/digest.ts'
import { codeOf } from '#dashboard/kernel/runtime/error-code.ts'
import { createFile, stampOf } from '#dashboard/kernel/runtime/files.ts'
import packed from '../../../../package.json' with { type: 'json' }
import { extract, listMembers, writeArchive } from './archive.ts'
import { BackupError, DATABASE, FORMAT, MANIFEST, type Manifest, SEAL } from './manifest.ts'
import { findSealSecret, fingerprintOf } from './seal-secret.ts'

/** The records of one dashboard: its database, and the folder with its secrets. */
export interface DashboardRecords {
  database: DatabaseAddress
  data_dir: string
}

interface BackUpOptions {
  /** Whether the backup has the seal-secret, too: its holder can then act as this dashboard. */
  with_secrets?: boolean
  now: Date
  /** The file name without `.tar`, when the target is a folder. */
  name?: string
}

export const PARTIAL = '.partial-'

/**
 * Backs up one consistent state of the database, taken while dashboards use it, into a file that is
 * written completely or not at all, and verified before it gets its name. Throws BackupError.
 */
export async function backUp(
  records: DashboardRecords,
  target: string,
  options: BackUpOptions,
): Promise<{ path: string; manifest: Manifest }> {
  const path = await pathOf(target, options)
  const partial = join(dirname(path), `${PARTIAL}${randomBytes(6).toString('hex')}`)
  try {
    await mustExist(records.database)
    await (await open(partial, 'wx', 0o600)).close()
    await copyToFile(records.database, partial)
    const manifest = await describe(partial, records, options)
    await writeArchive(`${partial}.tar`, await contentsOf(partial, manifest, records))
    await verify(`${partial}.tar`, manifest)
    await createFile(`${partial}.tar`, path)
    return { path, manifest }
  } catch (error) {
    throw readable(error, path)
  } finally {
    for (const end of ['', '.tar', '-wal', '-shm', '-journal'])
      await rm(`${partial}${end}`, { force: true })
  }
}

async function pathOf(target: string, { now, name }: BackUpOptions): Promise<string> {
  const isFolder =
    target.endsWith('/') || (await stat(target).catch(() => undefined))?.isDirectory()
  const path = isFolder ? await freeIn(target, name ?? `hosting-control-${stampOf(now)}`) : target
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw readable(error, path)
  })
  if (await stat(path).catch(() => undefined))
    throw new BackupError(`${path} exists already: choose another name, or a folder`)
  return path
}

/** Returns a free name: two backups of one second differ by a number. */
async function freeIn(folder: string, stem: string): Promise<string> {
  for (let count = 1; ; count++) {
    const path = join(folder, `${stem}${count === 1 ? '' : `-${count}`}.tar`)
    if (!(await stat(path).catch(() => undefined))) return path
  }
}

/** Throws BackupError without a database file; a server is contacted later. */
export async function mustExist({ url }: DatabaseAddress): Promise<void> {
  const file = databaseFileOf(url)
  if (file === undefined) return
  await access(file).catch(() => {
    throw new BackupError(`There is no database at ${file}: check DATA_DIR and DATABASE_URL`)
  })
}

async function describe(
  file: string,
  { data_dir }: DashboardRecords,
  { with_secrets = false, now }: BackUpOptions,
): Promise<Manifest> {
  using client = connect({ url: `file:${file}` }, 1)
  const damages = await damagesOf(client)
  if (damages.length > 0)
    throw new BackupError(`The database is damaged, nothing was written: ${damages.join('; ')}`)
  const applied = await appliedMigrations(client)
  if (applied.length === 0) throw new BackupError('The database has no records of a dashboard')
  const rows = await countRows(client)
  const secret = await findSealSecret(data_dir)
  if (with_secrets && !secret)
    throw new BackupError(`There is no seal-secret in ${data_dir}: check DATA_DIR`)
  return {
    backup_of: 'hosting-control',
    format: FORMAT,
    made_at: now.toISOString(),
    version: packed.version,
    schema: { migrations: applied.length, hash: applied.at(-1)?.hash ?? '' },
    database: { bytes: Bun.file(file).size, sha256: await digestOf(file), rows },
    seal: secret ? fingerprintOf(secret) : null,
    with_secrets,
  }
}

async function contentsOf(file: string, manifest: Manifest, { data_dir }: DashboardRecords) {
  const text = `${JSON.stringify(manifest, null, 2)}\n`
  const secret = manifest.with_secrets ? await findSealSecret(data_dir) : undefined
  const recovery = await findRecovery(data_dir)
  return [
    { name: MANIFEST, text },
    { name: DATABASE, file },
    ...(secret ? [{ name: SEAL, text: `${secret.reveal()}\n` }] : []),
    ...(recovery ? [{ name: RECOVERY, text: recovery.text }] : []),
  ]
}

async function verify(path: string, { database }: Manifest): Promise<void> {
  await using archive = await open(path, 'r')
  const member = (await listMembers(archive)).find(({ name }) => name === DATABASE)
  if (!member || (await extract(archive, member)) !== database.sha256)
    throw new BackupError('The written backup differs from the database: the disk may be failing')
}

function readable(error: unknown, path: string): unknown {
  if (error instanceof BackupError) return error
  const folder = dirname(path)
  const code = codeOf(error)
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'SQLITE_FULL')
    return new BackupError(`There is no space left for a backup in ${folder}`)
  const why = storageFault(error) ?? code
  return why ? new BackupError(`No backup could be written to ${folder}: ${why}`) : error
}
