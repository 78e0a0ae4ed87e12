import { backupParams, withPassword } from '#dashboard/features/backups/params.ts'
import { findBackupById } from '#dashboard/features/backups/queries.ts'
import { awaitNextBackup } from '#dashboard/features/copies/await-source.ts'
import type { ServerRow } from '#dashboard/kernel/db/rows.ts'
import { conflict } from '#shared/kernel/errors.ts'
import type { MoveSession } from './move-session.ts'

/** Backs the site up, unless a backup has begun since, and returns the id of the backup. */
export async function backUpSite(session: MoveSession, since: string): Promise<number> {
  const { deps, operation, site, context, parts } = session
  const report = (message: string) => parts.log(message)
  const request = { operation, site_id: site.id, since, report }
  return (await awaitNextBackup(deps, request, context)).id
}

/** Calls the agent of a server with what opens the backup; its secrets are never recorded. */
export async function withBackupSource<T>(
  { deps }: MoveSession,
  backup_id: number,
  server: Pick<ServerRow, 'id'>,
  call: (from: Record<string, unknown>) => Promise<T>,
): Promise<T> {
  const backup = await findBackupById(deps.db, backup_id)
  if (!backup) throw conflict('The backup is no longer recorded')
  return withPassword(deps, server.id, await backupParams(deps, backup), call)
}
