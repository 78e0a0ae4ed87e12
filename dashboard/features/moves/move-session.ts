import type { BackupDeps } from '#dashboard/features/copies/await-source.ts'
import { findSiteById } from '#dashboard/features/copies/queries.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { storageFault } from '#dashboard/kernel/db/connect.ts'
import type { OperationRow, ServerRow, SiteRow } from '#dashboard/kernel/db/rows.ts'
import { getServer } from '#dashboard/kernel/db/targets.ts'
import { EventRecorder } from '#dashboard/kernel/engine/event-recorder.ts'
import type { AttemptContext, Outcome } from '#dashboard/kernel/engine/operation-handle.ts'
import { completeDataOf } from '#dashboard/kernel/engine/parse-result.ts'
import { markRunning } from '#dashboard/kernel/engine/progress.queries.ts'
import { NO_CHANGE, type RecordChange } from '#dashboard/kernel/engine/rules.ts'
import { storeFailure, storeSuccess } from '#dashboard/kernel/engine/store-outcome.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { isServiceError } from '#dashboard/kernel/runtime/error-code.ts'
import type { MoveRow } from '#dashboard/kernel/targets/moves.queries.ts'
import { bodyOf, conflict, type ErrorBody } from '#shared/kernel/errors.ts'
import type { DashboardType, ReportOf } from '#shared/operation-types.ts'
import { MoveParts } from './move-parts.ts'
import { moveRowOf } from './move-row.ts'

export type MoveDeps = BackupDeps &
  Pick<CommonDeps, 'longest_ms' | 'deadline_ms' | 'freeze_ms' | 'retry_max_ms'> & {
    trash_ms: number
  }

/** One attempt of an operation of a move. */
export interface MoveSession {
  deps: MoveDeps
  operation: OperationRow
  context: AttemptContext
  site: SiteRow
  row: MoveRow
  /** The server that has the site; `other` is the other one. */
  here: ServerRow
  other: ServerRow
  parts: MoveParts
  recorder: EventRecorder
}

type MoveWork = (session: MoveSession) => Promise<Outcome>

/** Runs one attempt, whose events are stored before the next one continues the numbers. */
export const withSession =
  (work: MoveWork, otherOf: (operation: OperationRow) => number | undefined = () => undefined) =>
  async (deps: MoveDeps, operation: OperationRow, context: AttemptContext): Promise<Outcome> => {
    const opened = await openSession(deps, operation, context, otherOf(operation))
    try {
      return await work(opened)
    } catch (error) {
      await opened.recorder.flush()
      throw error
    }
  }

/** Opens a session; `other_id` is that of a new move, and others have a row already. */
async function openSession(
  deps: MoveDeps,
  operation: OperationRow,
  context: AttemptContext,
  other_id?: number,
): Promise<MoveSession> {
  const { db, clock, deadline_ms } = deps
  const site = await findSiteById(db, operation.site_id ?? 0)
  if (!site) throw conflict('The site is no longer recorded')
  const row = await moveRowOf(deps, operation, site, other_id)
  // The deadline counts from the last progress; a new attempt is no progress.
  const isFirst = operation.started_at === null
  const deadline_at = isFirst ? timestamp(clock, deadline_ms) : operation.deadline_at
  if (isFirst) {
    await markRunning(db, operation.id, { started_at: timestamp(clock), deadline_at })
  }
  context.accept()
  const here = await getServer(db, site.server_id)
  const other = await getServer(db, row.other_id)
  const recorder = await EventRecorder.open(deps, operation.id)
  const parts = new MoveParts(deps, {
    operation: { ...operation, deadline_at },
    context,
    recorder,
    row,
  })
  return { deps, operation, context, site, row, here, other, parts, recorder }
}

export async function endWithSuccess<K extends DashboardType>(
  { deps, operation, recorder }: MoveSession,
  type: K,
  report: ReportOf<K>,
  change: RecordChange = NO_CHANGE,
): Promise<Outcome> {
  const success = { data: completeDataOf(type, report), change }
  return storeSuccess(deps, operation, success, await recorder.takeUnstored())
}

export async function endWithFailure(
  { deps, operation, recorder }: MoveSession,
  error: ErrorBody,
): Promise<Outcome> {
  return storeFailure(deps, operation, error, await recorder.takeUnstored())
}

const isLastAttempt = ({ deps, parts }: MoveSession): boolean => parts.left_ms <= deps.retry_max_ms

/** Returns why a part failed for good. Throws a temporary failure, as of an offline server. */
export function finalReason(session: MoveSession, error: unknown): ErrorBody {
  const { parts, context } = session
  if (context.signal.aborted || storageFault(error) !== undefined) throw error
  const isOffline = isServiceError(error, 'offline')
  // A frozen site does not wait; after the call that decides, its outcome does.
  const waits = !parts.has('freezing') && !isLastAttempt(session)
  if (isOffline && (waits || parts.has('parting'))) throw error
  return bodyOf(error)
}
