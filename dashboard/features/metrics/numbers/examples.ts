import { AT, LATER } from '#dashboard/kernel/http/example-values.ts'

const RecommendationReason = { code: 'workers', count: 84, days: 5 }
const TierRecommendation = { tier: 'medium', reasons: [RecommendationReason] }

export const NUMBERS_EXAMPLES = {
  RecommendationReason,
  TierRecommendation,
  SiteNumbers: {
    unit: 'day',
    from: AT,
    to: LATER,
    at: [1772323200, 1772409600],
    requests: [18_400, null],
    client_errors: [210, null],
    server_errors: [3, null],
    cache_hits: [11_300, null],
    php_requests: [6100, null],
    php_ms: [1_342_000, null],
    slow: [14, null],
    bytes: [912_000_000, null],
    full: [21, null],
    active: [6, null],
    memory: [0, null],
    killed: [0, null],
    files: [2_140_000_000, null],
    database: [120_000_000, null],
    cache: [31_000_000, null],
    mail: [4096, null],
    recommendation: TierRecommendation,
  },
}
