import { strictObject, z } from 'zod'
import { IsolationCounts, IsolationResults } from '#shared/isolation/isolation.ts'
import { Count, Timestamp } from '#shared/kernel/api/parts.ts'

/** The last completed isolation check of a server, and the failed attempts since. */
export const IsolationCheckView = strictObject({
  checked_at: Timestamp.nullable().describe('Null until the first check has completed.'),
  counts: IsolationCounts.nullable(),
  results: IsolationResults.nullable().describe('One for each attack, null before the first.'),
  failures: Count.describe('The number of consecutive checks since then that could not run.'),
  failed_at: Timestamp.nullable().describe('When the last of these failed.'),
  reason: z.string().describe('The reason of the failure; empty without one.'),
}).meta({ id: 'IsolationCheckView', description: 'The last isolation check of a server.' })
export type IsolationCheckView = z.infer<typeof IsolationCheckView>
