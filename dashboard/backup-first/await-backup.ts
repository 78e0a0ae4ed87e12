import type { Base } from '#dashboard/db/base.ts'
import type { OperationRow } from '#dashboard/db/rows.ts'
import { getServer, getSite } from '#dashboard/db/targets.ts'
import { awaitEnd } from '#dashboard/operations/await-end.ts'
import { reasonOf } from '#dashboard/operations/failure.ts'
import type { RunContext } from '#dashboard/operations/job.ts'
import { storeWaiting } from '#dashboard/operations/progress.queries.ts'
import { findActive } from '#dashboard/operations/queries.ts'
import { type StartDeps, start } from '#dashboard/operations/start.ts'
import { timestamp } from '#dashboard/runtime/clock.ts'
import {
  bodyOf,
  conflict,
  type ErrorBody,
  errorNameOf,
  offline,
  ServiceError,
} from '#shared/errors.ts'
import { recentSince } from './needed.ts'
import { findBackingUp, hasBackupSince, markBackedUp } from './queries.ts'

type Deps = StartDeps & Pick<Base, 'bus'>
type Context = Pick<RunContext, 'signal' | 'accept'>
type Waiting = OperationRow & { site_id: number }

/**
 * An operation that changes a site waits for a backup of it, which it starts. Everything follows from
 * the records, so that a restarted dashboard continues. Returns the operation as it may be sent. Throws
 * why there is no backup.
 */
export async function awaitBackup(
  deps: Deps,
  operation: OperationRow,
  context: Context,
): Promise<OperationRow> {
  const { site_id, backup_first } = operation
  if (backup_first !== 'waits' || site_id === null) return operation
  for (;;) {
    const ready = await step(deps, { ...operation, site_id }, context)
    if (ready) return ready
  }
}

/** Undefined: another backup has ended. */
async function step(
  deps: Deps,
  operation: Waiting,
  context: Context,
): Promise<OperationRow | undefined> {
  const { db, clock } = deps
  const { site_id, created_at, server_id } = operation
  // Read before the backups: one that succeeds in between is found below.
  const last = await findBackingUp(db, site_id, created_at)
  const hasOne =
    last?.status === 'success' ||
    (await hasBackupSince(db, site_id, recentSince(new Date(created_at))))
  if (hasOne) {
    const deadline_at = timestamp(clock, deps.deadline_ms)
    if (await markBackedUp(db, operation, deadline_at))
      return { ...operation, deadline_at, backup_first: 'done' }
  } else if (last?.finished_at) throw failed(operation, last.error)
  const holder = { type: 'backup.create', server_id, site_id } as const
  const running = await findActive(db, holder)
  if (running) await noted(deps, operation, () => awaitEnd(deps, running, operation, context))
  else if (!hasOne) await backUp(deps, operation)
  return undefined
}

async function noted(deps: Deps, { id, domain }: Waiting, wait: () => Promise<void>) {
  const message = `Backing up ${domain} before it is changed`
  if (await storeWaiting(deps.db, id, message)) deps.bus.notify(id)
  await wait()
}

/** It waits for an offline agent only if the operation does. */
async function backUp(deps: Deps, operation: Waiting): Promise<void> {
  const { server_id, site_id, actor, created_at, deadline_at } = operation
  const server = await getServer(deps.db, server_id)
  const site = await getSite(deps.db, server_id, site_id)
  const how = { waits: deadline_at > created_at }
  try {
    await start(deps, 'backup.create', { server, site, actor }, {}, how)
  } catch (error) {
    const isHeld = error instanceof ServiceError && error.code === 'conflict'
    const holder = { type: 'backup.create', server_id, site_id } as const
    if (!isHeld || !(await findActive(deps.db, holder))) throw failed(operation, bodyOf(error))
  }
}

/** The worker repeats what an offline agent prevents while there is time. */
function failed({ domain }: Waiting, error: ErrorBody | null): ServiceError {
  if (error && errorNameOf(error) === 'offline') return offline(reasonOf(error))
  const why = error ? reasonOf(error) : 'it is not on record'
  return conflict(
    `${domain} was not changed, because its backup before the change failed: ${why}`,
    'backup_failed',
  )
}
