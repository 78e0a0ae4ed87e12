import { healthAdvice } from '#shared/health/health-advice.ts'
import type { AttentionItem } from '#shared/overview/api/attention.ts'
import { advised, ofSite } from './item.ts'
import type { NeedySite } from './queries.ts'

/** A site that does not work properly, with advice. */
export const unwell =
  (severity: 'critical' | 'warning') =>
  (site: NeedySite): AttentionItem => {
    const { health_code, health_reason, health_since: at } = site
    const advice = healthAdvice(health_code, site) ?? 'look at its log'
    return ofSite(site, { severity, reason: advised(health_reason, advice), at })
  }
