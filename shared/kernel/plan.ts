import { object, z } from 'zod'
import { singleLine } from './fields.ts'

const MAX_STEPS = 200
const MAX_EFFECTS = 5000

const line = (max: number) => singleLine(max).min(1)

export const Effect = object({
  action: z.enum(['create', 'change', 'remove', 'run']),
  kind: line(32),
  name: line(4096),
  asks: z
    .string()
    .regex(/^[a-z][a-z_]{0,39}$/)
    .optional()
    .describe(
      'Present if it changes something that Hosting Control did not make: it is done only if `accept` contains this word.',
    ),
}).meta({
  id: 'Effect',
  description:
    'One effect of a step. `kind` is the kind of `name`: a file, folder, link or socket by its path, a user, database, account, package, or a service by its unit, which starts (create) or stops (remove). A folder stands for everything below it. `run` itself leaves nothing behind.',
})
export type Effect = z.infer<typeof Effect>

const PlanStep = z.object({
  name: line(64).describe('As in the journal of the operation.'),
  title: line(8192),
  effects: z.array(Effect).max(MAX_EFFECTS),
  notes: z
    .array(line(1000))
    .max(20)
    .optional()
    .describe('Notes about its outcome, in sentences; omitted if there are none.'),
})

export const Plan = z.object({ steps: z.array(PlanStep).max(MAX_STEPS) }).meta({
  id: 'Plan',
  description: 'The steps that would run now, in order.',
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
    'The accepted changes of things that Hosting Control did not make, by the words of `asks` in the plan. Without them the operation is refused.',
  )

/** Returns what is not accepted, and how to accept it. */
export function unacceptedMessage(changes: readonly Effect[]): string {
  const names = changes.map(({ kind, name, asks }) => `${kind} ${name} (${asks})`).join(', ')
  const words = [...new Set(changes.map(({ asks }) => JSON.stringify(asks)))].join(', ')
  return `This changes what Hosting Control did not create: ${names}. Confirm it with accept: [${words}]`
}

export const PlanAnswer = z.object({ plan: Plan })

export const DryRun = z
  .boolean('Must be true or false')
  .default(false)
  .describe('True: return the plan, and change nothing.')
