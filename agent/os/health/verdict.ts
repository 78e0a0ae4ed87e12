import type { SiteCheck, SiteHealth } from '#shared/agent.ts'
import { HEALTH_CHECKS, HEALTH_STATES, type HealthCheck, type HealthState } from '#shared/values.ts'

/** The result of one check: `reason` is a sentence without its full stop. */
export type Verdict = Pick<SiteCheck, 'state' | 'code' | 'reason'>

export const UP: Verdict = { state: 'up', code: 'up', reason: '' }
export const up = (code: string, reason: string): Verdict => ({ state: 'up', code, reason })
export const degraded = (code: string, reason: string): Verdict => ({
  ...{ state: 'degraded', code, reason },
})
export const down = (code: string, reason: string): Verdict => ({ state: 'down', code, reason })

export type Verdicts = Partial<Record<HealthCheck, Verdict>>

/**
 * A site has the worst state of its checks. Among equals the first one gives the reason, from cause
 * to effect: without PHP and database there is no page.
 */
export function healthOf(domain: string, verdicts: Verdicts): SiteHealth {
  const checks = HEALTH_CHECKS.flatMap((check): SiteCheck[] => {
    const verdict = verdicts[check]
    return verdict ? [{ check, ...verdict }] : []
  })
  const worst = Math.max(0, ...checks.map(({ state }) => gravity(state)))
  const { state, code, reason } = checks.find((check) => gravity(check.state) === worst) ?? UP
  return { domain, state, code, reason, checks }
}

const gravity = (state: HealthState) => (state === 'unknown' ? 0 : HEALTH_STATES.indexOf(state))

/** False: a visit would find the known problem again. */
export const isWorthVisiting = ({ php, database }: Verdicts): boolean =>
  php !== undefined && php.state !== 'down' && database?.state !== 'down'
