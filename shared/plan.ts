import { object, z } from 'zod'

const MOST_STEPS = 200
const MOST_EFFECTS = 5000

/** One line: a plan comes from another machine, and is shown to people. */
const line = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .regex(/^\P{Cc}*$/u)

export const Effect = object({
  action: z.enum(['create', 'change', 'remove', 'run']),
  kind: line(32),
  name: line(4096),
  asks: z
    .string()
    .regex(/^[a-z][a-z_]{0,39}$/)
    .optional()
    .describe(
      'Set where it changes something that Hosting Control did not make: it is only done when `accept` has this word.',
    ),
}).meta({
  id: 'Effect',
  description:
    'One thing that a step does. `kind` says what `name` is: a file, folder, link or socket by its path, a user, database, account, package, or a service by its unit, which begins (create) or ceases (remove) to run. A folder stands for all that is below it. run leaves nothing behind by itself.',
})
export type Effect = z.infer<typeof Effect>

const PlanStep = z.object({
  name: line(64).describe('As the journal of the operation has it.'),
  title: line(8192),
  effects: z.array(Effect).max(MOST_EFFECTS),
  notes: z
    .array(line(1000))
    .max(20)
    .optional()
    .describe('What is to be known of its outcome, in sentences; left out where there is nothing.'),
})

export const Plan = z.object({ steps: z.array(PlanStep).max(MOST_STEPS) }).meta({
  id: 'Plan',
  description: 'What would be done now, in the order in which it would be.',
})
export type Plan = z.infer<typeof Plan>

/** The consents for changes of foreign objects, by the values of `asks` in a plan. */
export const ACCEPTABLE = [
  'name_taken_over',
  'packages_changed',
  'packages_removed',
  'php_restarted',
  'service_started',
] as const

export const Accept = z
  .array(z.enum(ACCEPTABLE), { error: 'Must be a list of words of `asks` in a plan' })
  .max(ACCEPTABLE.length, 'Must name each word once')
  .describe(
    'What may be changed of what Hosting Control did not make on the server, by the words of `asks` in the plan. Without them the operation is refused.',
  )

export const PlanAnswer = z.object({ plan: Plan })

export const DryRun = z
  .boolean('Must be true or false')
  .default(false)
  .describe('True: answer with the plan, and do nothing.')
