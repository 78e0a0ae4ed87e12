import { z } from 'zod'
import { findBackingUp } from '#dashboard/features/backups/backup-first/queries.ts'
import { backupParams } from '#dashboard/features/backups/params.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { OperationRow } from '#dashboard/kernel/db/rows.ts'
import { getServer } from '#dashboard/kernel/db/targets.ts'
import { awaitOperation } from '#dashboard/kernel/engine/await-operation.ts'
import type { AttemptContext } from '#dashboard/kernel/engine/operation-handle.ts'
import { storeWaiting } from '#dashboard/kernel/engine/progress.queries.ts'
import { findActive } from '#dashboard/kernel/engine/queries.ts'
import type { StoredSource } from '#dashboard/kernel/engine/rules.ts'
import { type StartDeps, startOperation } from '#dashboard/kernel/engine/start-operation.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { isServiceError } from '#dashboard/kernel/runtime/error-code.ts'
import { bodyOf, conflict } from '#shared/kernel/errors.ts'
import { findLastBackup, findSiteById, storeParams } from './queries.ts'

const AwaitedSource = z.object({
  from: z.object({ kind: z.literal('next_backup'), site_id: z.number() }),
})

export type BackupDeps = StartDeps & Pick<CommonDeps, 'bus'>

/**
 * Waits for the backup that a copy of a site on another server is made of, and starts it.
 * Everything follows from the records, so that a restarted dashboard continues. Returns the
 * operation as the agent of the destination gets it. Throws the reason if there is no backup.
 */
export async function awaitSource(
  deps: BackupDeps,
  operation: OperationRow,
  { signal, accept }: Pick<AttemptContext, 'signal' | 'accept'>,
): Promise<OperationRow> {
  const { data } = AwaitedSource.safeParse(operation.params)
  if (!data) return operation
  // The call is answered before the backup ends.
  accept()
  const { site_id } = data.from
  const report = async (message: string) => {
    if (await storeWaiting(deps.db, operation.id, message)) deps.bus.notify(operation.id)
  }
  const request = { operation, site_id, since: operation.created_at, report }
  const backup = await awaitNextBackup(deps, request, { signal, accept })
  const from: StoredSource = { kind: 'backup', ...(await backupParams(deps, backup)) }
  const params = { ...operation.params, from }
  const deadline_at = timestamp(deps.clock, deps.deadline_ms)
  await storeParams(deps.db, operation, { params, deadline_at })
  return { ...operation, params, deadline_at }
}

interface BackupRequest {
  operation: OperationRow
  site_id: number
  /** The time of its start: no earlier backup counts. */
  since: string
  report(message: string): Promise<void>
}

/** Waits for the first backup of a site that begins since a time, and starts it if necessary. */
export async function awaitNextBackup(
  deps: BackupDeps,
  request: BackupRequest,
  context: Pick<AttemptContext, 'signal' | 'accept'>,
) {
  const { operation, site_id, since } = request
  for (;;) {
    const last = await findBackingUp(deps.db, site_id, since)
    const backup = last?.status === 'success' && (await findLastBackup(deps.db, site_id))
    if (backup) return backup
    if (last?.finished_at) throw conflict(`The backup of ${last.domain} ${reasonOf(last)}`)
    const running = last ?? (await startBackupOrFindHolder(deps, request))
    if (running) await awaitOperation(deps, running, operation, context)
  }
}

const reasonOf = ({ status, error }: OperationRow): string =>
  status === 'success' ? 'is not recorded' : `${status}: ${error?.message ?? error?.error ?? ''}`

/** Starts the backup; returns the operation that holds the site, if there is one. */
async function startBackupOrFindHolder(
  deps: BackupDeps,
  { operation: { actor, domain }, site_id, report }: BackupRequest,
): Promise<OperationRow | undefined> {
  const { db } = deps
  const site = await findSiteById(db, site_id)
  if (!site) throw conflict(`The original of ${domain} was deleted`)
  const server = await getServer(db, site.server_id)
  await report(`Backing up ${site.domain} on ${server.name}, to copy it from there`)
  const holder = { type: 'backup.create', server_id: server.id, site_id } as const
  const active = await findActive(db, holder)
  if (active) return active
  try {
    await startOperation(deps, 'backup.create', { server, site, actor }, {})
    return undefined
  } catch (error) {
    const other = isServiceError(error, 'conflict') ? await findActive(db, holder) : undefined
    if (other) return other
    throw conflict(`${site.domain} cannot be backed up: ${bodyOf(error).message ?? 'unknown'}`)
  }
}
