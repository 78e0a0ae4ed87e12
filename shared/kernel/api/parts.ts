import { strictObject, z } from 'zod'
import { REFUSALS } from '#shared/kernel/errors.ts'

/** Parts of answers: a record's id, a count, a time in UTC. */
export const RecordId = z.int().positive()
export const Count = z.int().nonnegative()
export const Timestamp = z.iso.datetime()

/** The rules of the access policy that a change would break. */
export const BrokenRules = z
  .array(strictObject({ id: RecordId, rule: z.string(), problem: z.string() }))
  .exactOptional()
  .describe('With `policy_broken`: the rules that would not hold, and what would be true.')

/** The `error` event of an operation. */
export const Failure = strictObject({
  error: z.string(),
  message: z.string().exactOptional(),
  fields: z.record(z.string(), z.array(z.string())).exactOptional(),
  code: z.enum(REFUSALS).exactOptional().describe('The reason, for programs.'),
  broken_rules: BrokenRules,
}).meta({ id: 'Failure', description: 'A failure, in the form of an error body.' })

/** The answer of a call that waits for an outcome. */
export const Done = strictObject({
  status: z.literal('ok'),
  message: z.string().describe('What was done.'),
}).meta({ id: 'Done', description: 'The operation succeeded.' })
