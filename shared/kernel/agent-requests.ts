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
