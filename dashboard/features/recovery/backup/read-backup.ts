import { type FileHandle, open } from 'node:fs/promises'
import { headerOf, RECOVERY } from '#dashboard/features/backups/recovery-file.ts'
import { connect } from '#dashboard/kernel/db/connect.ts'
import { countRows, damagesOf, listSealed } from '#dashboard/kernel/db/inspect.ts'
import {
  appliedMigrations,
  pendingMigrations,
  SchemaError,
} from '#dashboard/kernel/db/migrations.ts'
import { codeOf } from '#dashboard/kernel/runtime/error-code.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { type ArchiveMember, extract, listMembers, readText } from './archive.ts'
import { BackupError, DATABASE, FORMAT, MANIFEST, Manifest, SEAL } from './manifest.ts'
import { findSealSecret, fingerprintOf, unopened } from './seal-secret.ts'

export interface Backup {
  path: string
  manifest: Manifest
  secret: Secret | undefined
  /** Whether the backup holds files of root that the recovery kit opens. */
  has_recovery: boolean
  /** Writes the database to a new file. Throws BackupError if its digest differs. */
  unpack(target: string): Promise<void>
}

/** Opens a backup for `work`. Throws BackupError for another kind of file. */
export async function withBackup<T>(path: string, work: (backup: Backup) => Promise<T>) {
  await using archive = await open(path, 'r').catch((error: unknown) => {
    throw new BackupError(`${path} cannot be read (${codeOf(error)})`)
  })
  return await work(await readBackup(path, archive))
}

async function readBackup(path: string, archive: FileHandle): Promise<Backup> {
  const { manifest, database, seal, recovery } = await contentsOf(archive).catch(
    (error: unknown) => {
      if (error instanceof BackupError) throw error
      throw new BackupError(`${path} is not a backup of a dashboard, or is damaged`)
    },
  )
  const secret = seal ? new Secret((await readText(archive, seal)).trim()) : undefined
  if (manifest.with_secrets && (!secret || fingerprintOf(secret) !== manifest.seal))
    throw new BackupError(`${path} is damaged: its seal-secret differs from the manifest`)
  return {
    path,
    manifest,
    secret,
    has_recovery: typeof headerOf(recovery ?? '')?.kit === 'string',
    unpack: (target) => unpack(path, archive, database, manifest, target),
  }
}

async function contentsOf(archive: FileHandle) {
  const members = await listMembers(archive)
  const named = (name: string) => members.find((member) => member.name === name)
  const [first, database] = [named(MANIFEST), named(DATABASE)]
  if (!first || !database) throw new Error('a member is missing')
  const json: unknown = JSON.parse(await readText(archive, first))
  if (json instanceof Object && 'format' in json && Number(json.format) > FORMAT)
    throw new BackupError('The backup was made by a newer version of the dashboard: run that one')
  const sealed = named(RECOVERY)
  const recovery = sealed && (await readText(archive, sealed))
  return { manifest: Manifest.parse(json), database, seal: named(SEAL), recovery }
}

async function unpack(
  path: string,
  archive: FileHandle,
  member: ArchiveMember,
  { database }: Manifest,
  target: string,
): Promise<void> {
  await using file = await open(target, 'wx', 0o600)
  const digest = await extract(archive, member, file).catch(() => '')
  if (digest !== database.sha256 || member.size !== database.bytes)
    throw new BackupError(`${path} is damaged: its database is not the one that was backed up`)
  await file.sync()
}

/** Throws BackupError unless the unpacked database is consistent, complete and of a known version. */
export async function verifyUnpacked(file: string, { path, manifest }: Backup): Promise<void> {
  using client = connect({ url: `file:${file}` }, 1)
  try {
    await client.execute('PRAGMA query_only = ON')
    const damages = await damagesOf(client)
    if (damages.length > 0) throw new BackupError(`${path} is damaged: ${damages.join('; ')}`)
    pendingMigrations(await appliedMigrations(client))
    if (!Bun.deepEquals(await countRows(client), manifest.database.rows))
      throw new BackupError(`${path} is damaged: rows are missing`)
  } catch (error) {
    if (error instanceof SchemaError)
      throw new BackupError(`The backup cannot be used: ${error.message}`)
    throw error
  }
}

/** Throws BackupError unless the secret in DATA_DIR is, or can become, the one that the keys need. */
export async function verifySeal(
  file: string,
  { manifest, secret }: Backup,
  data_dir: string,
): Promise<void> {
  const present = await findSealSecret(data_dir)
  const needed = manifest.seal
  if (needed === null) return
  if (present && fingerprintOf(present) !== needed)
    throw new BackupError(
      `${data_dir}/seal-secret (${fingerprintOf(present)}) differs from the one that the backup needs (${needed}): ${secret ? 'move it to another folder first, since the backup contains its own' : 'replace it with that one first'}`,
    )
  const usable = secret ?? present
  if (!usable)
    throw new BackupError(
      `The backup contains no secrets: copy the seal-secret ${needed}, which it needs, to ${data_dir} first`,
    )
  using client = connect({ url: `file:${file}` }, 1)
  const closed = unopened(usable, await listSealed(client))
  if (closed.length > 0)
    throw new BackupError(`The seal-secret ${needed} does not decrypt: ${closed.join(', ')}`)
}
