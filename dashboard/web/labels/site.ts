/** The purpose of each tier; the agent adapts the numbers to its machine. */
export const TIER_WORDS = {
  small: 'Blogs and small sites: 5 PHP processes, 128 MB each, at most 640 MB.',
  medium: 'Shops and busy sites: 10 PHP processes, 256 MB each, at most 1.25 GB.',
  large: 'Large shops and applications: 25 PHP processes, 512 MB each, at most 3 GB.',
} as const

/** What each kind of certificate means. */
export const TLS_WORDS = {
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
