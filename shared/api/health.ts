import { z } from 'zod'
import { HEALTH_CHECKS, HEALTH_STATES } from '#shared/values.ts'
import { Timestamp } from './parts.ts'

const State = z.enum(HEALTH_STATES)
const code = 'Of the reason, such as php_failed or certificate_missing; others may come.'

/** The health of a site, apart from `status`, which is its life cycle. */
export const HEALTH = {
  health: State.nullable().describe(
    'Whether the site works, for a site in use; null for one that is not. unknown: nobody could look.',
  ),
  health_code: z.string().describe(code),
  health_reason: z.string().describe('One sentence; empty where there is nothing to say.'),
  health_since: Timestamp.nullable().describe('When it became so; null while that is unknown.'),
} as const

const Health = z.strictObject(HEALTH)
export type Health = z.infer<typeof Health>

export const HealthCheckResult = z
  .strictObject({
    check: z.enum(HEALTH_CHECKS),
    state: State,
    code: z.string().describe(code),
    reason: z.string(),
  })
  .meta({
    id: 'HealthCheckResult',
    description: 'What one check of a site found; a check that does not apply is left out.',
  })
export type HealthCheckResult = z.infer<typeof HealthCheckResult>
