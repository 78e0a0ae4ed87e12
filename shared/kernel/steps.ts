import { z } from 'zod'

/** The states of a step; `not_undone` means that the undo failed, and needs an administrator. */
const STATES = [
  'waiting',
  'running',
  'done',
  'skipped',
  'failed',
  'undoing',
  'undone',
  'not_undone',
] as const
export type StepState = (typeof STATES)[number]

/** The data of a `step` event: the step of this name has this state from now on. */
export const StepChange = z.object({
  name: z.string().min(1).max(64),
  title: z.string().transform((title) => title.slice(0, 500)),
  state: z.enum(STATES),
})
export type StepChange = z.infer<typeof StepChange>
