import { Dice } from '#agent/kernel/host/simulated/dice.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { excludesOf } from '#dashboard/kernel/db/exclusion.ts'
import type { NewActivity, OperationRow } from '#dashboard/kernel/db/rows.ts'
import { operation_events, operations } from '#dashboard/kernel/db/schema.ts'
import { operation_steps } from '#dashboard/kernel/db/steps-schema.ts'
import { completeDataOf } from '#dashboard/kernel/engine/parse-result.ts'
import type { Fleet } from '#scripts/demo/fleet/fleet.ts'
import type { Transcript } from '#scripts/demo/machine/carry-out.ts'
import { stamp } from '#scripts/demo/time.ts'
import { cancelledError, withoutCode } from '#shared/kernel/errors.ts'
import { OPERATION_TYPES } from '#shared/operation-types.ts'
import { insertAll } from './insert.ts'
import type { Story } from './stories.ts'
import { DOMAIN, makeTranscripts, rewritten, USER } from './transcripts.ts'

type Event = typeof operation_events.$inferInsert
type StepRow = typeof operation_steps.$inferInsert
type Recorded = { operation: OperationRow; events: Event[]; steps: StepRow[] }

const ID = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const DEADLINE_MS = 30 * 60_000
/** The only account. */
export const ACTOR = 1

/** Creates the operation of a story, with its events. */
export type Recorder = (story: Story) => Recorded

export async function makeRecorder(fleet: Fleet, now: number): Promise<Recorder> {
  const transcripts = await makeTranscripts(fleet)
  const dice = new Dice(`${fleet.plan.seed} history`)
  return (story) => record(story, adapted(story, transcripts[story.kind]), { dice, now })
}

/** Stores past operations. Returns their entries of the activity log. */
export async function insertRecorded(
  db: Database,
  recorded: readonly Recorded[],
): Promise<NewActivity[]> {
  const rows = recorded.map(({ operation }) => operation)
  const events = recorded.flatMap((one) => one.events)
  const steps = recorded.flatMap((one) => one.steps)
  await insertAll(db, operations, rows)
  await insertAll(db, operation_events, events)
  await insertAll(db, operation_steps, steps)
  return rows.map(activityOf)
}

export function activityOf(operation: OperationRow): NewActivity {
  const { id, type, domain, server_id, actor, created_at, status } = operation
  const waits = status === 'queued' || status === 'running'
  return {
    ...{ type, domain, server_id, created_at },
    status: status === 'success' ? status : waits ? 'running' : 'failed',
    operation_id: id,
    user_id: actor,
  }
}

function adapted({ site, server }: Story, transcript: Transcript): Transcript {
  const domain = site?.plan.domain ?? server.hostname
  return rewritten(transcript, (text) =>
    text.replaceAll(DOMAIN, domain).replaceAll(USER, site?.plan.user ?? 'root'),
  )
}

function record(
  story: Story,
  transcript: Transcript,
  { dice, now }: { dice: Dice; now: number },
): Recorded {
  const created = now - story.at
  const started = created + dice.between(5, 60)
  const finished = started + transcript.lines.length * dice.between(150, 700)
  const { lines, steps, end } = story.cancelled ? cutOff(transcript) : transcript
  const operation: OperationRow = {
    ...newOperation(story, dice.text(ID, 22), created),
    ...('error' in end
      ? { status: story.cancelled ? 'cancelled' : 'failed', error: end.error }
      : { status: 'success', warnings: end.warnings }),
    attempts: 1,
    cancel: story.cancelled ? 'graceful' : null,
    sent_at: stamp(started),
    started_at: stamp(started),
    finished_at: stamp(finished),
  }
  const { id: operation_id } = operation
  const logs = lines.map((message) => ({ event: 'log' as const, data: { message } }))
  const events = [...logs, endOf(operation.type, end)].map((event, at) => ({
    ...{ operation_id, id: at + 1, ...event },
  }))
  return {
    operation,
    events,
    steps: steps.map(({ after, change }) => ({ operation_id, after, ...change })),
  }
}

/** Returns a transcript that ended in the step of the second line. */
function cutOff({ lines, steps }: Transcript): Transcript {
  const [first = '', second = ''] = lines
  const started = steps.filter(({ after }) => after < 2)
  const last = started.findLast(({ change }) => change.state === 'running')?.change
  const ends = (['failed', 'undoing', 'undone'] as const).flatMap((state) =>
    last ? [{ after: state === 'undone' ? 3 : 2, change: { ...last, state } }] : [],
  )
  return {
    lines: [first, second, `Undoing: ${second}`],
    steps: [...started, ...ends],
    end: { error: cancelledError().body },
  }
}

function endOf(type: OperationRow['type'], end: Transcript['end']): Pick<Event, 'event' | 'data'> {
  if ('error' in end) return { event: 'error', data: withoutCode(end.error) }
  const report = OPERATION_TYPES[type].outcome.result.parse(end.result)
  return { event: 'complete', data: completeDataOf(type, report) }
}

/** Returns an operation in its state before any result. */
export function newOperation(story: Story, id: string, created: number): OperationRow {
  const { type, server_id, server, site, params } = story
  return {
    ...{ id, type, server_id, params, actor: ACTOR },
    site_id: site?.id ?? null,
    domain: site?.plan.domain ?? server.hostname,
    ...{ status: 'queued', attempts: 0, error: null, warnings: [] },
    ...{ cancel: null, retry_of: null, own_events: 0, output_full: false, backup_first: null },
    excludes: excludesOf(type),
    ...{ created_at: stamp(created), deadline_at: stamp(created + DEADLINE_MS) },
    ...{ next_at: null, sent_at: null, started_at: null, finished_at: null },
  }
}
