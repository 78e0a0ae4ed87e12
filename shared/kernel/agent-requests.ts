import { z } from 'zod'
import { Domain, required } from './fields.ts'
import { DryRun } from './plan.ts'

export const ExecRequest = z.object({
  command: z.string(required('Command')),
  params: z.unknown().optional(),
  dry_run: DryRun,
})

/** `force` ends programs by SIGKILL at once, instead of SIGTERM and SIGKILL after 10 s. */
export const CancelRequest = z.object({ force: z.boolean().default(false) })
/** `ended` is true when the operation has its terminal event; else the stream has it. */
export const CancelAnswer = z.object({ ended: z.boolean() })
export type CancelAnswer = z.infer<typeof CancelAnswer>

export const SiteRequest = z.object({ domain: Domain })
