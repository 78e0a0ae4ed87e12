import { type Random, randomOf } from '#dashboard/kernel/runtime/random.ts'
import { isReserved } from '#shared/kernel/fields.ts'
import { apexOf } from '#shared/kernel/names.ts'

const MAX_ATTEMPTS = 20

/**
 * Makes the system user of a new site: letters and digits of its first label and six random ones,
 * at most 26 in all. It has no `_`, which is a wildcard in a GRANT of MariaDB.
 */
export function makeSiteUser(random: Random, domain: string): string {
  const [label = ''] = apexOf(domain).split('.')
  const slug = label.replace(/[^a-z0-9]/g, '').slice(0, MAX_ATTEMPTS)
  const ending = randomOf(random, 'abcdefghijklmnopqrstuvwxyz0123456789', 6)
  const isName = /^[a-z]/.test(slug) && !isReserved(slug + ending)
  return (isName ? slug : `s${slug}`.slice(0, MAX_ATTEMPTS)) + ending
}
