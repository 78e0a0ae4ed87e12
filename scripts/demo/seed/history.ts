import { Dice } from '#agent/host/simulated/dice.ts'
import type { Database } from '#dashboard/db/client.ts'
import type { NewActivity, OperationRow } from '#dashboard/db/rows.ts'
import { operation_events, operations } from '#dashboard/db/schema.ts'
import { operation_steps } from '#dashboard/db/steps-schema.ts'
import { dataOf } from '#dashboard/operations/success.ts'
import type { Fleet } from '#scripts/demo/fleet/fleet.ts'
import type { Transcript } from '#scripts/demo/machine/carry-out.ts'
import { cancelledError, withoutCode } from '#shared/errors.ts'
import { OPERATION_TYPES } from '#shared/operation-types/index.ts'
import { insertAll } from './insert.ts'
import type { Story } from './stories.ts'
import { DOMAIN, makeTranscripts, rewritten, USER } from './transcripts.ts'

type Event = typeof operation_events.$inferInsert
type StepRow = typeof operation_steps.$inferInsert
type Recorded = { operation: OperationRow; events: Event[]; steps: StepRow[] }

const ID = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const DEADLINE_MS = 30 * 60_000
/** The only account. */
const ACTOR = 1

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
  await insertAll(db, rows, (queries, some) => queries.insert(operations).values(some))
  const events = recorded.flatMap((each) => each.events)
  await insertAll(db, events, (queries, some) => queries.insert(operation_events).values(some))
  const steps = recorded.flatMap((each) => each.steps)
  await insertAll(db, steps, (queries, some) => queries.insert(operation_steps).values(some))
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
    status: statusOf(story, end),
    error: 'error' in end ? end.error : null,
    warnings: 'error' in end ? [] : end.warnings,
    attempts: 1,
    cancel: story.cancelled ? 'graceful' : null,
    sent_at: stamp(started),
    started_at: stamp(started),
    finished_at: stamp(finished),
  }
  const logs = lines.map(
    (message, at): Event => ({
      operation_id: operation.id,
      id: at + 1,
      event: 'log',
      data: { message },
    }),
  )
  const { id: operation_id } = operation
  const last = { operation_id, id: logs.length + 1, ...endOf(operation.type, end) }
  const changes = steps.map(({ after, change }) => ({ operation_id, after, ...change }))
  return { operation, events: [...logs, last], steps: changes }
}

/** Ended in the step of the second line. */
function cutOff({ lines, steps }: Transcript): Transcript {
  const [first = '', second = ''] = lines
  const begun = steps.filter(({ after }) => after < 2)
  const last = begun.findLast(({ change }) => change.state === 'running')?.change
  const ends = (['failed', 'undoing', 'undone'] as const).flatMap((state) =>
    last ? [{ after: state === 'undone' ? 3 : 2, change: { ...last, state } }] : [],
  )
  return {
    lines: [first, second, `Undoing: ${second}`],
    steps: [...begun, ...ends],
    end: { error: cancelledError().body },
  }
}

function statusOf({ cancelled }: Story, end: Transcript['end']): OperationRow['status'] {
  if (cancelled) return 'cancelled'
  return 'error' in end ? 'failed' : 'success'
}

function endOf(type: OperationRow['type'], end: Transcript['end']): Pick<Event, 'event' | 'data'> {
  if ('error' in end) return { event: 'error', data: withoutCode(end.error) }
  const report = OPERATION_TYPES[type].outcome.result.parse(end.result)
  return { event: 'complete', data: dataOf(type, report) }
}

/** Its state before any result. */
export function newOperation(story: Story, id: string, created: number): OperationRow {
  const { type, server_id, server, site, params } = story
  return {
    ...{
      id,
      type,
      server_id,
      params,
      status: 'queued',
      error: null,
      warnings: [],
      attempts: 0,
      cancel: null,
    },
    site_id: site?.id ?? null,
    domain: site?.plan.domain ?? server.hostname,
    ...{ actor: ACTOR, retry_of: null, own_events: 0, output_full: false },
    ...{ sent_at: null, next_at: null },
    deadline_at: stamp(created + DEADLINE_MS),
    created_at: stamp(created),
    started_at: null,
    finished_at: null,
  }
}

export const stamp = (ms: number): string => new Date(ms).toISOString()
