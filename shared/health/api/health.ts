import { strictObject, z } from 'zod'
import { Timestamp } from '#shared/kernel/api/parts.ts'
import { HEALTH_STATES, SHOWN_CHECKS } from '#shared/kernel/values.ts'

const State = z.enum(HEALTH_STATES)
const code = 'The code of the reason, such as php_failed or certificate_missing; more may be added.'

/** The health of a site, apart from `status`, which is its life cycle. */
export const HEALTH = {
  health: State.nullable().describe(
    'Whether the site works; null for a site that is not in use. unknown: no check was possible.',
  ),
  health_code: z.string().describe(code),
  health_reason: z.string().describe('One sentence; empty without a problem.'),
  health_since: Timestamp.nullable().describe('When this state started; null: unknown.'),
} as const

const Health = z.strictObject(HEALTH)
export type Health = z.infer<typeof Health>

export const HealthCheckResult = strictObject({
  check: z
    .enum(SHOWN_CHECKS)
    .describe(
      'visit: the request of the dashboard from outside the server; the others are those of the agent.',
    ),
  state: State,
  code: z.string().describe(code),
  reason: z.string(),
}).meta({
  id: 'HealthCheckResult',
  description: 'The result of one check of a site; checks that do not apply are omitted.',
})
export type HealthCheckResult = z.infer<typeof HealthCheckResult>
