import type { SiteRow } from '#dashboard/db/rows.ts'
import { conflict, notManaged } from '#shared/errors.ts'
import type { SiteRules } from './rules.ts'

/** 409 for a site in another state than the type needs, and for changes of a discovered one. */
export function refuseUnfit(rules: SiteRules | null, { found, status, domain }: SiteRow): void {
  if (!rules) return
  if (found && status !== 'trashed' && !rules.found) throw notManaged(domain)
  if (rules.states.includes(status)) return
  if (status === 'trashed')
    throw conflict(`${domain} is in the trash: restore it or delete it permanently`)
  if (status === 'suspended') throw conflict(`${domain} is suspended: resume it first`)
  const isOfTrash = rules.states.includes('trashed')
  throw conflict(isOfTrash ? `${domain} is not in the trash` : 'The site is there already')
}
