import { z } from 'zod'
import { IsolationCounts, IsolationResults } from '#shared/isolation.ts'
import { Count, Timestamp } from './parts.ts'

/** The last completed isolation check of a server, and the failed attempts since. */
export const IsolationCheckView = z
  .strictObject({
    checked_at: Timestamp.nullable().describe('Null until the first check has completed.'),
    counts: IsolationCounts.nullable(),
    results: IsolationResults.nullable().describe('One for each attack, null before the first.'),
    failures: Count.describe('How many checks in a row could not run since then.'),
    failed_at: Timestamp.nullable().describe('When the last of these failed.'),
    reason: z.string().describe('Why it failed; empty when it did not.'),
  })
  .meta({
    id: 'IsolationCheckView',
    description: 'What the last isolation check of a server found.',
  })
export type IsolationCheckView = z.infer<typeof IsolationCheckView>
