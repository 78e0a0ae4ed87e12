import { z } from 'zod'
import { Metrics } from './agent.ts'

/** The parts of the stream of changes of a server, and the readings whose answers each part has. */
export const PARTS = {
  health: ['/sites/health'],
  numbers: ['/sites/numbers'],
  state: [
    '/services',
    '/sites',
    '/web',
    '/trash',
    '/certificates',
    '/usage',
    '/maintenance',
    '/mail',
    '/job-troubles',
    '/access',
    '/logins',
  ],
} as const
export type ChangesPart = keyof typeof PARTS
export type PartPath = (typeof PARTS)[ChangesPart][number]
export const PART_NAMES = Object.keys(PARTS) as ChangesPart[]

/** The maximum size of an answer: readings beyond it are left out, and requested alone. */
export const MAX_CHANGES = 1 << 20
/** The maximum seconds for which an agent holds a request: routers forget connections later. */
const MAX_WAIT = 55

/** The versions of parts; `""` when nothing is known of a part. */
export type PartVersions = { [part in ChangesPart]?: string }

const version = /^[\w-]{0,64}$/
const sinceRule = `Must be versions such as "health.abc state.def" of ${PART_NAMES.join(', ')}`
const waitRule = `Must be a whole number of seconds from 0 to ${MAX_WAIT}`

export const ChangesRequest = z.object({
  /** The versions to compare with, of the requested parts; all parts without it. */
  since: z
    .string(sinceRule)
    .max(300, sinceRule)
    .transform((text, context): PartVersions => {
      const pairs = text === '' ? PART_NAMES.map((part) => `${part}.`) : text.split(' ')
      const versions = pairs.map((pair) => pair.split('.'))
      const isGood = versions.every(
        ([part = '', value = '-.', ...rest]) =>
          Object.hasOwn(PARTS, part) && version.test(value) && rest.length === 0,
      )
      if (!isGood) context.addIssue({ code: 'custom', message: sinceRule })
      return Object.fromEntries(versions)
    })
    .prefault(''),
  /** The seconds for which the agent may hold the call until something changes. */
  wait: z
    .string(waitRule)
    .regex(/^\d{1,2}$/, waitRule)
    .transform(Number)
    .refine((seconds) => seconds <= MAX_WAIT, waitRule)
    .default(0),
})

/** Returns the `since` of a request. */
export const sinceOf = (versions: PartVersions): string =>
  Object.entries(versions)
    .map(([part, value]) => `${part}.${value}`)
    .join(' ')

/**
 * The metrics, the version of each requested part (null when a reading of it failed, or took too
 * long), and the answers of the readings of the parts that have changed, by path.
 */
export const Changes = z.object({
  metrics: Metrics,
  versions: z.partialRecord(
    z.enum(PART_NAMES),
    z
      .string()
      .regex(/^[\w-]{1,64}$/)
      .nullable(),
  ),
  answers: z.record(z.string(), z.unknown()),
})
export type Changes = z.infer<typeof Changes>
