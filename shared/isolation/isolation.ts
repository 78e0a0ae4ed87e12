import { strictObject, z } from 'zod'

/** `not_applicable` means that there is no target; `error` that the attack could not run. */
export const ISOLATION_OUTCOMES = ['refused', 'succeeded', 'not_applicable', 'error'] as const
export type IsolationOutcome = (typeof ISOLATION_OUTCOMES)[number]

const MAX_RESULTS = 100

export const IsolationResult = strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9.-]{0,63}$/),
  title: z.string().max(200).describe('What the attacker site tried.'),
  outcome: z.enum(ISOLATION_OUTCOMES).describe('succeeded: the attack was not prevented.'),
  detail: z.string().max(500).describe('The observation, or why it does not apply; may be empty.'),
}).meta({ id: 'IsolationResult', description: 'One attack of an isolation check.' })
export type IsolationResult = z.infer<typeof IsolationResult>

const count = z.int().nonnegative().max(MAX_RESULTS)

/** The number of attacks by outcome. */
export const IsolationCounts = strictObject({
  refused: count,
  succeeded: count,
  not_applicable: count,
  error: count,
}).meta({ id: 'IsolationCounts', description: 'The number of attacks with each outcome.' })
export type IsolationCounts = z.infer<typeof IsolationCounts>

export const IsolationResults = z.array(IsolationResult).max(MAX_RESULTS)

export function countOutcomes(results: readonly IsolationResult[]): IsolationCounts {
  const counts = { refused: 0, succeeded: 0, not_applicable: 0, error: 0 }
  for (const { outcome } of results) counts[outcome]++
  return counts
}
