import { strictObject, z } from 'zod'
import { Count, Failure, RecordId } from '#shared/kernel/api/parts.ts'
import { StepChange } from '#shared/kernel/steps.ts'
import { OPERATION_TYPES, type OperationType } from '#shared/operation-types.ts'

/** The data of each kind of event in a stream; exactly one `complete` or `error` ends it. */
export interface Events {
  log: z.ZodType
  /** Only for callers that request it. */
  step?: z.ZodType
  complete: z.ZodType
  error: z.ZodType
}

const ok = z.literal('ok')

const Log = strictObject({ message: z.string() }).meta({
  id: 'LogData',
  description: 'One log line.',
})

export const Step = z.strictObject({ ...StepChange.shape, title: z.string() }).meta({
  id: 'StepData',
  description: 'The step of this name has this state from now on.',
})

const named = (type: string) =>
  type.replace(/(^|[.-])(\w)/g, (_, __, letter) => letter.toUpperCase())

/** The data of the `complete` event of an operation. */
function completeOf(type: OperationType) {
  const meta = { id: `${named(type)}Complete`, description: `The end of a successful ${type}.` }
  return OPERATION_TYPES[type].outcome.complete.meta(meta)
}

const made = new Map<OperationType, Events>()

export function eventsOf(type: OperationType): Events {
  const events = made.get(type) ?? { log: Log, complete: completeOf(type), error: Failure }
  made.set(type, events)
  return events
}

/** Returns the events of an operation of any type. */
export function eventsOfAny(types: readonly OperationType[]): Events {
  const [first, ...rest] = types.map((type) => eventsOf(type).complete)
  if (!first) throw new Error('No type of operation')
  return { log: Log, complete: z.union([first, ...rest]), error: Failure }
}

/** The events of a bulk operation. */
export const BULK_EVENTS: Events = {
  log: z
    .strictObject({
      message: z.string(),
      status: z.string().optional().describe('Of the item, else of the bulk operation.'),
      position: RecordId.optional(),
      domain: z.string().optional(),
      operation_id: z.string().optional(),
    })
    .meta({ id: 'BulkLogData', description: 'A change of an item or of the bulk operation.' }),
  complete: z
    .strictObject({ status: ok, total: Count, success: Count, failed: Count, cancelled: Count })
    .meta({ id: 'BulkComplete', description: 'All of them succeeded.' }),
  error: Failure,
}
