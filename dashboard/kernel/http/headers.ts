import { isHttps } from './connection.ts'

/** The headers of every answer. The API is data: browsers must not run, frame or cache it. */
export const SECURITY_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
} as const

/** Returns the header of RFC 6797: a year of https only, for this host alone. */
export function transportHeaders(public_url: string | undefined): Record<string, string> {
  return isHttps(public_url) ? { 'strict-transport-security': 'max-age=31536000' } : {}
}
