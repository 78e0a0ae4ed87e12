import { SECURITY_HEADERS } from '#dashboard/http/headers.ts'

const policyOf = (form_action: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    `form-action ${form_action}`,
    "frame-ancestors 'none'",
  ].join('; ')

/** The pages load from and connect to this dashboard only, without inline code or styles. */
export const PAGE_HEADERS = {
  ...SECURITY_HEADERS,
  'content-security-policy': policyOf("'self'"),
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
} as const

/** The page of a new tab, which posts a token to a site. It shows nothing that comes from outside. */
export const HANDOFF_HEADERS = {
  ...PAGE_HEADERS,
  'content-security-policy': policyOf('https: http:'),
  'referrer-policy': 'no-referrer',
} as const
