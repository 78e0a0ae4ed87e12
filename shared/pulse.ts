import { z } from 'zod'
import { State } from './agent.ts'

/** The longest time that an agent holds a request, in seconds: routers forget quiet connections later. */
const MOST_WAIT = 55

const waitRule = `Must be a whole number of seconds from 0 to ${MOST_WAIT}`
export const PulseRequest = z.object({
  /** How long the agent may wait for a change of health. */
  wait: z
    .string(waitRule)
    .regex(/^\d{1,2}$/, waitRule)
    .transform(Number)
    .refine((seconds) => seconds <= MOST_WAIT, waitRule)
    .default(0),
  /** The last version of the health of the sites; another one is answered immediately. */
  health: z.string().max(64, 'Must have at most 64 characters').default(''),
  /** Whether the version of the state is wanted, which takes the agent longer. */
  state: z.enum(['yes', 'no'], 'Must be yes or no').default('yes'),
})
export type PulseRequest = z.infer<typeof PulseRequest>

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
