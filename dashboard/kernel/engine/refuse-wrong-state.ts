import type { SiteRow } from '#dashboard/kernel/db/rows.ts'
import { conflict, inTrash, notManaged } from '#shared/kernel/errors.ts'
import type { SiteRules } from './rules.ts'

/** Throws 409 for a site that has another state than the type needs, or is discovered. */
export function refuseWrongState(
  rules: SiteRules | null,
  { found, status, domain }: SiteRow,
): void {
  if (!rules) return
  if (found && status !== 'trashed' && !rules.found) throw notManaged(domain)
  if (rules.states.includes(status)) return
  if (status === 'trashed') throw inTrash(domain)
  const isOfTrash = rules.states.includes('trashed')
  if (isOfTrash) throw conflict(`${domain} is not in the trash`)
  if (status === 'suspended') throw conflict(`${domain} is suspended: resume it first`)
  if (rules.states.includes('active'))
    throw conflict(`${domain} is not in use: its status is ${status}`)
  throw conflict('The site is there already')
}
