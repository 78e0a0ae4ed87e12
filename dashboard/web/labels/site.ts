import type { Tier } from '#shared/kernel/fields.ts'
import { TIER_SIZES } from '#shared/sites/tiers.ts'

/** The purpose of each tier; the agent adapts the numbers to its machine. */
export const TIER_TEXTS: Record<Tier, string> = {
  small: `Blogs and small sites: ${sizes('small')}`,
  medium: `Shops and busy sites: ${sizes('medium')}`,
  large: `Large shops and applications: ${sizes('large')}`,
}

function sizes(tier: Tier): string {
  const { processes, each, all } = TIER_SIZES[tier]
  const most = all < 1024 ? `${all} MB` : `${all / 1024} GB`
  return `${processes} PHP processes, ${each} MB each, at most ${most}.`
}

/** What each kind of certificate means. */
export const TLS_TEXTS = {
  letsencrypt: {
    name: "Let's Encrypt",
    about:
      'A free certificate that every browser trusts, renewed automatically. The domain must already point to the server; until then, the site has no certificate.',
  },
  'self-signed': {
    name: 'Self-signed',
    about: 'Encrypted at once, but browsers warn. For a proxy in front, or until DNS has moved.',
  },
  other: {
    name: 'Another authority',
    about: 'A certificate from elsewhere. Hosting Control does not renew it.',
  },
  none: { name: 'Without TLS', about: 'Plain HTTP. For tests, or behind a proxy that encrypts.' },
} as const
