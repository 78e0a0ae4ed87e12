import type { DnsNamePlan } from '#shared/domains/api/dns.ts'
import type { DnsChoice, ShownRecord } from '#shared/domains/dns-choice.ts'
import { canonicalDomain } from '#shared/kernel/names.ts'

type Plans = readonly DnsNamePlan[]

/** Whether one of the zones has the name. */
export function isIn(zones: readonly string[], name: string): boolean {
  const canonical = canonicalDomain(name.replace(/^\*\./, '')) ?? name
  return zones.some((zone) => `.${canonical}`.endsWith(`.${zone}`))
}

export const removedOf = ({ name, records }: DnsNamePlan): ShownRecord[] =>
  records
    .filter(({ action }) => action === 'remove')
    .map(({ type, content }) => ({ name, type, content }))

/** The key of a plan: the records that it removes, as they are shown. */
export const keyOf = (plan: DnsNamePlan): string => JSON.stringify(removedOf(plan))

/** Such as `Create A shop.example → 203.0.113.4 in Cloudflare, replaces A 198.51.100.9`. */
export function linesOf(plan: DnsNamePlan): string[] {
  const { name, account, records } = plan
  const former = removedOf(plan).map(({ type, content }) => `${type} ${content}`)
  const replaces = former.length > 0 ? `, replaces ${former.join(', ')}` : ''
  const created = records.filter(({ action }) => action === 'create')
  const suffix = (proxied: boolean) => (proxied ? ' (proxied)' : '')
  if (created.length === 0 && former.length > 0)
    return [`Remove ${former.join(', ')} of ${name} in ${account}`]
  return created.map(
    ({ type, content, proxied }) =>
      `Create ${type} ${name} → ${content}${suffix(proxied)} in ${account}${replaces}`,
  )
}

/**
 * Returns the chosen DNS changes; undefined when no record is changed. `replaced` holds the keys of
 * the plans whose records are replaced.
 */
export function choiceOf(
  plans: Plans,
  { createsMissing, replaced }: { createsMissing: boolean; replaced: readonly string[] },
): DnsChoice | undefined {
  if (!createsMissing || plans.some(({ problem }) => problem !== '')) return undefined
  const chosen = plans.filter((plan) => replaced.includes(keyOf(plan)))
  const replace = chosen.flatMap(removedOf)
  const isMissing = plans.some((plan) => removedOf(plan).length === 0 && linesOf(plan).length > 0)
  return replace.length > 0 || isMissing ? { replace } : undefined
}
