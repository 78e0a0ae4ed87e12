import { strictObject, z } from 'zod'
import { Count, Timestamp } from './parts.ts'

/** The ways in which a record of the activity can be found to be changed. */
const RECORD_PROBLEMS = [
  'changed',
  'removed',
  'inserted',
  'order',
  'link_missing',
  'truncated',
  'checkpoint_missing',
  'checkpoint_forged',
  'older',
  'contradiction',
  'unreadable',
] as const

export const RecordProblem = strictObject({
  code: z
    .enum(RECORD_PROBLEMS)
    .describe(
      '`changed`, `removed`, `inserted`, `order`: of this activity. `link_missing`, `truncated`: links are gone, before this activity or after it. `checkpoint_missing`, `checkpoint_forged`: the end is not signed by this dashboard. `older`, `contradiction`: an earlier checkpoint has more, or something else. `unreadable`: an export is no export.',
    ),
  id: z.int().nullable().describe('The activity at which the record breaks; null: none.'),
  message: z.string(),
}).meta({ id: 'RecordProblem', description: 'The first problem of the record of the activity.' })
export type RecordProblem = z.infer<typeof RecordProblem>

export const RecordVerification = strictObject({
  ok: z.boolean(),
  entries: Count.describe('The activities from the first one that is kept to the checkpoint.'),
  unsealed: Count.describe('The newest activities and ends, which get their link within seconds.'),
  checkpoint: z
    .string()
    .nullable()
    .describe('A C2SP signed note: origin, links, hash of the last link; null: there is none.'),
  verifier: z.string().describe('The public key of the checkpoint, as a C2SP verifier key.'),
  problem: RecordProblem.nullable(),
  verified_at: Timestamp,
}).meta({
  id: 'RecordVerification',
  description: 'The result of recomputing the chain of the activity.',
})
export type RecordVerification = z.infer<typeof RecordVerification>

export const VerifyRecordQuery = z.object({
  max_age: z
    .string('Must be seconds, up to 86400')
    .regex(/^(0|[1-9]\d{0,4})$/, 'Must be seconds, up to 86400')
    .transform(Number)
    .refine((seconds) => seconds <= 86_400, 'Must be seconds, up to 86400')
    .default(0)
    .describe('The age in seconds up to which an earlier result will do; default 0.'),
})
