import { SECURITY_HEADERS } from '#dashboard/kernel/http/headers.ts'
import { canonicalDomain } from '#shared/kernel/names.ts'
import { LOGIN_PATH } from '#shared/wordpress/login-path.ts'

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

/** The headers of pages, which use this dashboard only, and no inline code or styles. */
export const PAGE_HEADERS = {
  ...SECURITY_HEADERS,
  'content-security-policy': policyOf("'self'"),
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
} as const

/**
 * Returns the headers of the page of a new tab, which posts a token to a site: to one address of
 * the given origin, and nowhere for anything but the origin of a domain. It shows nothing that
 * comes from outside.
 */
export const handoffHeaders = (origin: string | null) => ({
  ...PAGE_HEADERS,
  'content-security-policy': policyOf(isOfDomain(origin) ? origin + LOGIN_PATH : "'none'"),
  'referrer-policy': 'no-referrer',
})

/** Whether an origin, for the policy, has the letters of a domain only, and no port. */
function isOfDomain(origin: string | null): origin is string {
  const host = /^https?:\/\/([a-z0-9.-]+)$/.exec(origin ?? '')?.[1]
  return host !== undefined && canonicalDomain(host) === host
}
