import { strictObject, z } from 'zod'
import { Count, Timestamp } from '#shared/kernel/api/parts.ts'

export const KeyView = strictObject({
  kid: z.string(),
  hub_key: z.string().describe('The argument of `hosting-agent trust`.'),
  state: z
    .enum(['current', 'leaving', 'retired'])
    .describe(
      'current: every agent gets it. leaving: it signs for agents that do not know the current one yet. retired: it only delivers the current one.',
    ),
  created_at: Timestamp,
  age: Count.describe('Seconds since its creation.'),
  until: Timestamp.nullable().describe('Its expiry; null for the current one.'),
  agents: Count.describe('The number of agents whose newest known key it is.'),
}).meta({ id: 'KeyView', description: 'A key that signs for this dashboard.' })
export type KeyView = z.infer<typeof KeyView>
