import { z } from 'zod'

/**
 * A key that signs for this dashboard. `hub_key` is what `hosting-agent trust` takes, `age` and
 * `until` say since and until when, `agents` counts those whose newest known key it is. `current`:
 * every agent is given it. `leaving`: it signs for agents that do not know the current one yet.
 * `retired`: its time is over, and it does nothing any more but hand over the current one.
 */
export const KeyView = z.strictObject({
  kid: z.string(),
  hub_key: z.string(),
  state: z.enum(['current', 'leaving', 'retired']),
  created_at: z.string(),
  /** Seconds. */
  age: z.number(),
  until: z.string().nullable(),
  agents: z.number(),
})
export type KeyView = z.infer<typeof KeyView>
