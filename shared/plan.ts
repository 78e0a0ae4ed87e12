import { z } from 'zod'

const MOST_STEPS = 200
const MOST_EFFECTS = 5000

/** One line: a plan comes from another machine, and is shown to people. */
const line = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .regex(/^\P{Cc}*$/u)

/**
 * One thing that a step does. `kind` says what `name` is: a file, folder, link or socket by its path, a
 * user, database, account, package, or a service by its unit, which begins (`create`) or ceases
 * (`remove`) to run. A folder stands for all that is below it. `run` leaves nothing behind by itself.
 */
export const Effect = z.object({
  action: z.enum(['create', 'change', 'remove', 'run']),
  kind: line(32),
  name: line(4096),
})
export type Effect = z.infer<typeof Effect>

const PlanStep = z.object({
  /** As the journal of the operation has it. */
  name: line(64),
  title: line(8192),
  effects: z.array(Effect).max(MOST_EFFECTS),
})

/** What a command would do now, in the order in which it would do it. */
export const Plan = z.object({ steps: z.array(PlanStep).max(MOST_STEPS) })
export type Plan = z.infer<typeof Plan>

export const PlanAnswer = z.object({ plan: Plan })

/** True: answer with the plan, and do nothing. */
export const DryRun = z.boolean({ error: 'Must be true or false' }).default(false)
