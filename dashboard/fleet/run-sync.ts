import type { OperationRow } from '#dashboard/db/rows.ts'
import type { Bus } from '#dashboard/operations/bus.ts'
import { succeed } from '#dashboard/operations/finish.ts'
import type { Outcome, RunContext } from '#dashboard/operations/job.ts'
import { lastEventId, markRunning } from '#dashboard/operations/progress/queries.ts'
import { Recorder } from '#dashboard/operations/recorder.ts'
import { timestamp } from '#dashboard/runtime/clock.ts'
import type { KeyedQueue } from '#dashboard/runtime/limit.ts'
import type { Log } from '#dashboard/runtime/log.ts'
import { getServer } from '#dashboard/servers/queries.ts'
import { ServiceError } from '#shared/errors.ts'
import { type SyncDeps, syncServer } from './sync-server.ts'

export interface RunSyncDeps extends SyncDeps {
  bus: Bus
  log: Log
  /** One sync of a server at a time. */
  syncs: KeyedQueue<number>
}

/** A sync that somebody asked for: a stored operation that the dashboard itself carries out. */
export function runSync(
  deps: RunSyncDeps,
  operation: OperationRow,
  context: RunContext,
): Promise<Outcome> {
  return deps.syncs.run(operation.server_id, () => stream(deps, operation, context))
}

async function stream(deps: RunSyncDeps, operation: OperationRow, { accept }: RunContext) {
  const work = syncServer(deps, await getServer(deps.db, operation.server_id), { tell: false })
  const recorder = new Recorder(deps, operation.id, await lastEventId(deps.db, operation.id))
  let step = await work.next()
  await begun(deps, operation)
  accept()
  while (!step.done) {
    await recorder.log(step.value)
    step = await work.next()
  }
  const success = { data: { status: 'ok', ...step.value }, effect: {} }
  return succeed(deps, operation, success, await recorder.rest())
}

/** A sync is not tried again, so that its deadline stays: the next one comes anyway. */
function begun({ db, clock }: RunSyncDeps, { id, deadline_at }: OperationRow): Promise<void> {
  return markRunning(db, id, { started_at: timestamp(clock), deadline_at })
}

/** The sync that the scheduler runs: no operation, and an activity only when something changed. */
export function backgroundSync(deps: RunSyncDeps, server_id: number): Promise<void> {
  return deps.syncs.run(server_id, async () => {
    try {
      const server = await getServer(deps.db, server_id)
      for await (const _ of syncServer(deps, server, { tell: true }));
    } catch (error) {
      if (!(error instanceof ServiceError)) deps.log.error('sync failed', error, { server_id })
    }
  })
}
