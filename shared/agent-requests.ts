import { z } from 'zod'
import { Domain, required } from './fields.ts'
import { DryRun } from './plan.ts'

export const ExecRequest = z.object({
  command: z.string(required('Command')),
  params: z.unknown().optional(),
  dry_run: DryRun,
})

/** Graceful ends programs by SIGTERM, and 10 seconds later by SIGKILL; `force` by SIGKILL at once. */
export const CancelRequest = z.object({ force: z.boolean().default(false) })
/** `ended`: the operation has its terminal event; otherwise that follows in its stream. */
export const CancelAnswer = z.object({ ended: z.boolean() })
export type CancelAnswer = z.infer<typeof CancelAnswer>

export const SiteRequest = z.object({ domain: Domain })

/** The longest time that an agent holds a request, in seconds: routers forget quiet connections later. */
const MAX_WAIT = 55

const waitRule = `Must be a whole number of seconds from 0 to ${MAX_WAIT}`
export const PulseRequest = z.object({
  /** How long the agent may wait for a change of health. */
  wait: z
    .string(waitRule)
    .regex(/^\d{1,2}$/, waitRule)
    .transform(Number)
    .refine((seconds) => seconds <= MAX_WAIT, waitRule)
    .default(0),
  /** The last version of the health of the sites; another one is answered immediately. */
  health: z.string().max(64, 'Must have at most 64 characters').default(''),
  /** Whether the version of the state is wanted, which takes the agent longer. */
  state: z.enum(['yes', 'no'], 'Must be yes or no').default('yes'),
})
export type PulseRequest = z.infer<typeof PulseRequest>
