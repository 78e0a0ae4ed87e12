import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { OperationRow } from '#dashboard/kernel/db/rows.ts'
import { getServer, getSite } from '#dashboard/kernel/db/targets.ts'
import { awaitOperation } from '#dashboard/kernel/engine/await-operation.ts'
import { reasonOf } from '#dashboard/kernel/engine/failure-reason.ts'
import type { AttemptContext } from '#dashboard/kernel/engine/operation-handle.ts'
import { storeWaiting } from '#dashboard/kernel/engine/progress.queries.ts'
import { findActive } from '#dashboard/kernel/engine/queries.ts'
import { type StartDeps, startOperation } from '#dashboard/kernel/engine/start-operation.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { isServiceError } from '#dashboard/kernel/runtime/error-code.ts'
import {
  bodyOf,
  conflict,
  type ErrorBody,
  errorNameOf,
  offline,
  type ServiceError,
} from '#shared/kernel/errors.ts'
import { recentPeriod, unsavedSites } from './backup-needed.ts'
import { findBackingUp, hasBackupIn, markBackedUp } from './queries.ts'

type Deps = StartDeps & Pick<CommonDeps, 'bus'>
type WaitContext = Pick<AttemptContext, 'signal' | 'accept'>
type SiteOperation = OperationRow & { site_id: number }

/**
 * Waits for the backups before a change of a site, or of all sites of a server, and starts them.
 * Everything follows from the records, so that a restarted dashboard continues. Returns the
 * operation as it may be sent. Throws the reason if there is no backup.
 */
export async function awaitBackup(
  deps: Deps,
  operation: OperationRow,
  context: WaitContext,
): Promise<OperationRow> {
  if (operation.backup_first !== 'waits') return operation
  for (;;) {
    const site_id = await nextUnsavedSite(deps, operation)
    if (site_id !== undefined) await awaitBackupOf(deps, { ...operation, site_id }, context)
    else {
      const ready = await markReleased(deps, operation, context)
      if (ready) return ready
    }
  }
}

/** Returns a site without a backup; undefined when all of them have one. */
async function nextUnsavedSite(deps: Deps, operation: OperationRow): Promise<number | undefined> {
  const { site_id, server_id, created_at } = operation
  const recent = recentPeriod(deps, new Date(created_at))
  const siteIds = site_id === null ? unsavedSites(deps, server_id, recent) : [site_id]
  for await (const id of siteIds) {
    const last = await findBackingUp(deps.db, id, created_at)
    if (last?.status === 'success' || (await hasBackupIn(deps.db, id, recent))) continue
    if (last?.finished_at) throw await backupFailed(deps, { ...operation, site_id: id }, last.error)
    return id
  }
  return undefined
}

/**
 * Marks an operation as backed up and returns it; undefined when another backup of the site was
 * started meanwhile, which has then ended.
 */
async function markReleased(
  deps: Deps,
  operation: OperationRow,
  context: WaitContext,
): Promise<OperationRow | undefined> {
  const { db, clock } = deps
  const deadline_at = timestamp(clock, deps.deadline_ms)
  if (await markBackedUp(db, operation, deadline_at))
    return { ...operation, deadline_at, backup_first: 'done' }
  const { site_id } = operation
  if (site_id !== null) await joinBackup(deps, { ...operation, site_id }, context)
  return undefined
}

async function awaitBackupOf(
  deps: Deps,
  operation: SiteOperation,
  context: WaitContext,
): Promise<void> {
  if (!(await joinBackup(deps, operation, context))) await startBackup(deps, operation)
}

/** Waits for a running backup of the site; returns false when none is running. */
async function joinBackup(
  deps: Deps,
  operation: SiteOperation,
  context: WaitContext,
): Promise<boolean> {
  const { server_id, site_id } = operation
  const running = await findActive(deps.db, { type: 'backup.create', server_id, site_id })
  if (!running) return false
  const { domain } = running
  const message = isOfServer(operation, domain)
    ? `Backing up the sites of ${operation.domain} before they are changed`
    : `Backing up ${domain} before it is changed`
  if (await storeWaiting(deps.db, operation.id, message)) deps.bus.notify(operation.id)
  await awaitOperation(deps, running, operation, context)
  return true
}

/** Starts a backup, which waits for an offline agent only if the operation does. */
async function startBackup(deps: Deps, operation: SiteOperation): Promise<void> {
  const { server_id, site_id, actor, created_at, deadline_at } = operation
  const server = await getServer(deps.db, server_id)
  const site = await getSite(deps.db, server_id, site_id)
  const how = { waits: deadline_at > created_at }
  try {
    await startOperation(deps, 'backup.create', { server, site, actor }, {}, how)
  } catch (error) {
    const isHeld = isServiceError(error, 'conflict')
    const holder = { type: 'backup.create', server_id, site_id } as const
    if (!isHeld || !(await findActive(deps.db, holder)))
      throw await backupFailed(deps, operation, bodyOf(error))
  }
}

/** Whether the operation is of a server, whose name it then has. */
const isOfServer = ({ domain }: Pick<OperationRow, 'domain'>, ofSite: string) => domain !== ofSite

/** Throws why there is no backup. The worker retries what an offline agent prevents. */
async function backupFailed(
  { db }: Deps,
  { domain, server_id, site_id }: SiteOperation,
  error: ErrorBody | null,
): Promise<ServiceError> {
  if (error && errorNameOf(error) === 'offline') return offline(reasonOf(error))
  const why = error ? reasonOf(error) : 'it is not recorded'
  const site = await getSite(db, server_id, site_id)
  const whose = isOfServer({ domain }, site.domain) ? `the backup of ${site.domain}` : 'its backup'
  return conflict(
    `${domain} was not changed, because ${whose} before the change failed: ${why}`,
    'backup_failed',
  )
}
