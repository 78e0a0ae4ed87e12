import type { CommonDeps } from '#dashboard/kernel/db/base.ts'
import type { OperationRow } from '#dashboard/kernel/db/rows.ts'
import { getServer, getSite } from '#dashboard/kernel/db/targets.ts'
import { awaitOperation } from '#dashboard/kernel/engine/await-end.ts'
import { reasonOf } from '#dashboard/kernel/engine/failure.ts'
import type { AttemptContext } from '#dashboard/kernel/engine/job.ts'
import { storeWaiting } from '#dashboard/kernel/engine/progress.queries.ts'
import { findActive } from '#dashboard/kernel/engine/queries.ts'
import { type StartDeps, startOperation } from '#dashboard/kernel/engine/start.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import {
  bodyOf,
  conflict,
  type ErrorBody,
  errorNameOf,
  offline,
  ServiceError,
} from '#shared/kernel/errors.ts'
import { recentTimes, unsavedSites } from './needed.ts'
import { findBackingUp, hasBackupIn, markBackedUp } from './queries.ts'

type Deps = StartDeps & Pick<CommonDeps, 'bus'>
type Context = Pick<AttemptContext, 'signal' | 'accept'>
type Waiting = OperationRow & { site_id: number }

/**
 * An operation that changes a site, or all sites of a server, waits for a backup of each, which it
 * starts. Everything follows from the records, so that a restarted dashboard continues. Returns the
 * operation as it may be sent. Throws the reason if there is no backup.
 */
export async function awaitBackup(
  deps: Deps,
  operation: OperationRow,
  context: Context,
): Promise<OperationRow> {
  if (operation.backup_first !== 'waits') return operation
  for (;;) {
    const site_id = await nextSite(deps, operation)
    if (site_id !== undefined) await backedUp(deps, { ...operation, site_id }, context)
    else {
      const ready = await released(deps, operation, context)
      if (ready) return ready
    }
  }
}

/** One without a backup; undefined: all of them have one. */
async function nextSite(deps: Deps, operation: OperationRow): Promise<number | undefined> {
  const { site_id, server_id, created_at } = operation
  const recent = recentTimes(deps, new Date(created_at))
  const siteIds = site_id === null ? unsavedSites(deps, server_id, recent) : [site_id]
  for await (const id of siteIds) {
    const last = await findBackingUp(deps.db, id, created_at)
    if (last?.status === 'success' || (await hasBackupIn(deps.db, id, recent))) continue
    if (last?.finished_at) throw await failed(deps, { ...operation, site_id: id }, last.error)
    return id
  }
  return undefined
}

/**
 * Marks an operation as backed up and returns it; undefined when another backup of the site was
 * started meanwhile, which has then ended.
 */
async function released(
  deps: Deps,
  operation: OperationRow,
  context: Context,
): Promise<OperationRow | undefined> {
  const { db, clock } = deps
  const deadline_at = timestamp(clock, deps.deadline_ms)
  if (await markBackedUp(db, operation, deadline_at))
    return { ...operation, deadline_at, backup_first: 'done' }
  const { site_id } = operation
  if (site_id !== null) await joined(deps, { ...operation, site_id }, context)
  return undefined
}

async function backedUp(deps: Deps, operation: Waiting, context: Context): Promise<void> {
  if (!(await joined(deps, operation, context))) await backUp(deps, operation)
}

/** False: no backup of the site is running. */
async function joined(deps: Deps, operation: Waiting, context: Context): Promise<boolean> {
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

/** It waits for an offline agent only if the operation does. */
async function backUp(deps: Deps, operation: Waiting): Promise<void> {
  const { server_id, site_id, actor, created_at, deadline_at } = operation
  const server = await getServer(deps.db, server_id)
  const site = await getSite(deps.db, server_id, site_id)
  const how = { waits: deadline_at > created_at }
  try {
    await startOperation(deps, 'backup.create', { server, site, actor }, {}, how)
  } catch (error) {
    const isHeld = error instanceof ServiceError && error.code === 'conflict'
    const holder = { type: 'backup.create', server_id, site_id } as const
    if (!isHeld || !(await findActive(deps.db, holder)))
      throw await failed(deps, operation, bodyOf(error))
  }
}

/** The operation of a server has the name of the server. */
const isOfServer = ({ domain }: Pick<OperationRow, 'domain'>, ofSite: string) => domain !== ofSite

/** The worker repeats what an offline agent prevents while there is time. */
async function failed(
  { db }: Deps,
  { domain, server_id, site_id }: Waiting,
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
