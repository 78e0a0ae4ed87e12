import { z } from 'zod'
import { Count, Timestamp } from './parts.ts'

export const KeyView = z
  .strictObject({
    kid: z.string(),
    hub_key: z.string().describe('What `hosting-agent trust` takes.'),
    state: z
      .enum(['current', 'leaving', 'retired'])
      .describe(
        'current: every agent is given it. leaving: it signs for agents that do not know the current one yet. retired: it does nothing any more but hand over the current one.',
      ),
    created_at: Timestamp,
    age: Count.describe('Seconds since it was made.'),
    until: Timestamp.nullable().describe('When its time is over; null for the current one.'),
    agents: Count.describe('Of those whose newest known key it is.'),
  })
  .meta({ id: 'KeyView', description: 'A key that signs for this dashboard.' })
export type KeyView = z.infer<typeof KeyView>
