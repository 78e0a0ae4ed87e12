import { z } from 'zod'
import { conflict } from '#shared/kernel/errors.ts'
import { isWildcard } from '#shared/kernel/names.ts'
import { pairOf, type SiteNames, servedNamesOf } from '#shared/kernel/site-names.ts'
import { LOGIN_PATH } from '#shared/wordpress/login-path.ts'

/** Where the token of a login may be sent; `encrypted`: over https only. */
export const LoginPlace = z.object({ hosts: z.array(z.string()), encrypted: z.boolean() })
type LoginPlace = z.infer<typeof LoginPlace>

/** The names at which a WordPress may have its address, as the records have them. */
export const loginHostsOf = (site: { domain: string; names: SiteNames }): string[] => [
  ...new Set([...pairOf(site.domain), ...servedNamesOf(site).filter((name) => !isWildcard(name))]),
]

/**
 * Throws 409 with `foreign_address` unless the address is one of the site: a server that was taken
 * over could otherwise make a page of this dashboard send a form to any address, also to our own API.
 */
export function refuseForeign(url: string, { hosts, encrypted }: LoginPlace): void {
  const schemes = encrypted ? ['https'] : ['https', 'http']
  const addresses = hosts.flatMap((host) =>
    schemes.map((scheme) => `${scheme}://${host}${LOGIN_PATH}`),
  )
  if (addresses.includes(url)) return
  throw conflict(
    'The server returned the address of another site for the login: nothing was sent there',
    'foreign_address',
  )
}
