import { z } from 'zod'
import { siteCall, siteOf } from '#dashboard/features/backups/rule-parts.ts'
import { namesOf } from '#dashboard/features/domains/names.queries.ts'
import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { isWildcard } from '#shared/kernel/names.ts'
import { pairOf, type SiteNames, servedNamesOf } from '#shared/kernel/site-names.ts'
import { LOGIN_PATH } from '#shared/wordpress/login-path.ts'
import { recordUser } from './login-user.queries.ts'

/** The address in the report is checked: the browser of the caller sends the token there. */
export const wpLogin: OperationRules<'wp.login'> = {
  ...siteCall,
  async params({ db }, target, { user_id, token_hash }) {
    const { id, domain, certificate_expires_at } = siteOf(target)
    const hosts = loginHostsOf({ domain, names: await namesOf(db, id) })
    const encrypted = certificate_expires_at !== ''
    return { domain, user_id, token_hash, hosts, encrypted }
  },
  sent: ({ hosts: _, encrypted: __, ...params }) => params,
  succeeded: ({ url, user }, { params }) => {
    refuseForeign(url, LoginPlace.parse(params))
    return recordUser(user)
  },
  bulk: null,
}

/** The hosts to which the token of a login may be sent; `encrypted` when over https only. */
const LoginPlace = z.object({ hosts: z.array(z.string()), encrypted: z.boolean() })
type LoginPlace = z.infer<typeof LoginPlace>

/** Lists the names at which a WordPress may have its address, as the records have them. */
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
