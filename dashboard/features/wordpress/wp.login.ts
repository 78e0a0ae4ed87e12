import { siteCall, siteOf } from '#dashboard/features/backups/parts.ts'
import { namesOf } from '#dashboard/features/domains/names.queries.ts'
import { NO_CHANGE, type OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { LoginPlace, loginHostsOf, refuseForeign } from './address.ts'

/** The browser of the caller sends the token to the address in the report, so that is checked. */
export const wpLogin: OperationRules<'wp.login'> = {
  ...siteCall,
  async params({ db }, target, { user_id, token_hash }) {
    const { id, domain, certificate_expires_at } = siteOf(target)
    const hosts = loginHostsOf({ domain, names: await namesOf(db, id) })
    const encrypted = certificate_expires_at !== ''
    return { domain, user_id, token_hash, hosts, encrypted }
  },
  sent: ({ hosts: _, encrypted: __, ...params }) => params,
  succeeded: ({ url }, { params }) => {
    refuseForeign(url, LoginPlace.parse(params))
    return NO_CHANGE
  },
  bulk: null,
}
