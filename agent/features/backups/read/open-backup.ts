import { readManifest } from '#agent/features/backups/fetch.ts'
import type { Manifest } from '#agent/features/backups/manifest.ts'
import { resticPath } from '#agent/features/backups/restic/program.ts'
import { type OpenRepository, refuseUnready } from '#agent/features/backups/restic/run.ts'
import {
  closeFiles,
  openFiles,
  openRepositoryOf,
  passwordOf,
  removeRepositorySecrets,
} from '#agent/features/backups/restic/session.ts'
import { SESSION as STORAGE } from '#agent/features/backups/storage/read-keys.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { BrowseRequest } from '#shared/backups/backup-read.ts'
import { conflict } from '#shared/kernel/errors.ts'

type RepositoryRequest = Pick<BrowseRequest, 'target' | 'repository' | 'password_id' | 'password'>
type BackupRequest = RepositoryRequest & Pick<BrowseRequest, 'backup'>

export interface OpenedBackup {
  opened: OpenRepository
  manifest: Manifest
}

export const SESSIONS = { browse: '.browse', download: '.download', proof: '.proof' } as const

/** Removes, at the start of the agent, the secrets that a killed one left. */
export async function removeLeftoverSessions(host: Host): Promise<void> {
  for (const session of [...Object.values(SESSIONS), STORAGE])
    await removeRepositorySecrets(host, session).apply()
}

/**
 * Opens a repository to read it beside operations on it. `session` names the folder of secrets,
 * which is removed in the end. Throws conflict where restic cannot run, and with
 * `password_missing`.
 */
export async function* readingRepository<T>(
  host: Host,
  session: string,
  place: RepositoryRequest,
  work: (opened: OpenRepository) => AsyncGenerator<T, void>,
): AsyncGenerator<T, void> {
  const { target, repository: name } = place
  await refuseUnready(host, target)
  const password = await passwordOf(host, place)
  if (!(await host.files.stat(resticPath(host)))) {
    throw conflict('restic is not installed on this server: back up a site first')
  }
  const repository = { name, target, password }
  try {
    await openFiles(host, repository, session).apply()
    const { cache } = openRepositoryOf(host, repository)
    await host.files.mkdir(cache, { mode: 0o700 })
    yield* work({ ...openRepositoryOf(host, repository, session), cache })
  } finally {
    await closeFiles(host, session).apply()
  }
}

/** Opens one backup of a repository. */
export const readingBackup = <T>(
  host: Host,
  session: string,
  request: BackupRequest,
  work: (backup: OpenedBackup) => AsyncGenerator<T, void>,
): AsyncGenerator<T, void> =>
  readingRepository(host, session, request, async function* (opened) {
    yield* work({ opened, manifest: await readManifest(host, opened, request.backup) })
  })
