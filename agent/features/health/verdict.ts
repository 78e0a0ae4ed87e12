import { type HealthVerdict, UP } from '#shared/health/page-verdict.ts'
import { HEALTH_CHECKS, HEALTH_STATES, type HealthCheck } from '#shared/kernel/values.ts'
import type { SiteCheck, SiteHealth } from '#shared/servers/agent.ts'

export type Verdicts = Partial<Record<HealthCheck, HealthVerdict>>

/**
 * Returns the worst state of the checks. Among equals the first check gives the reason, from cause
 * to effect: without PHP and database there is no page.
 */
export function healthOf(domain: string, verdicts: Verdicts): SiteHealth {
  const checks = HEALTH_CHECKS.flatMap((check): SiteCheck[] => {
    const found = verdicts[check]
    return found ? [{ check, ...found }] : []
  })
  const severity = ({ state }: SiteCheck) =>
    state === 'unknown' ? 0 : HEALTH_STATES.indexOf(state)
  const worst = Math.max(0, ...checks.map(severity))
  const { state, code, reason } = checks.find((check) => severity(check) === worst) ?? UP
  return { domain, state, code, reason, checks }
}

/** Returns the health of a site whose results are outdated. */
export function unknownHealth(domain: string): SiteHealth {
  const reason = 'Its agent has not checked the site for some time'
  return { domain, state: 'unknown', code: 'not_checked', reason, checks: [] }
}

/** Returns whether a visit could find more than the known problem. */
export const isWorthVisiting = ({ php, database }: Verdicts): boolean =>
  php !== undefined && php.state !== 'down' && database?.state !== 'down'
