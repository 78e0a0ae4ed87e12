import { z } from 'zod'
import { State } from './agent.ts'

/**
 * The metrics, and what has to be read again: the state, the health of the sites, and their numbers
 * (the time of the last count that changed, in seconds since 1970; 0: none).
 */
export const Pulse = State.extend({
  health: z.string().regex(/^[\w-]{1,64}$/),
  counted: z
    .int()
    .nonnegative()
    .max(2 ** 32),
})
export type Pulse = z.infer<typeof Pulse>
