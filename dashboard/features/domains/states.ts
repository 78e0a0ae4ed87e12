import type { Agents } from '#dashboard/kernel/agents/agents.ts'
import { addressesOf } from '#dashboard/kernel/targets/addresses.ts'
import type { SiteTarget } from '#dashboard/kernel/targets/load-site.ts'
import type { DomainStates, NameState } from '#shared/domains/name-states.ts'
import { nameStatesReading } from '#shared/sites/readings.ts'
import { cdnOf, isPrivate } from './networks.ts'

/** Returns the DNS records and the certificate of each name, as its server finds them now. */
export async function domainStates(
  { agents }: { agents: Agents },
  { site, server }: SiteTarget,
): Promise<DomainStates> {
  const [expected, { names, ...certificate }] = await Promise.all([
    addressesOf(server.hostname),
    agents.call(server, nameStatesReading, { domain: site.domain }),
  ])
  return {
    expected,
    ...certificate,
    names: names.map(({ name, records, certificate }) => ({
      name,
      ...leadingTo(records, expected),
      records: records ?? [],
      certificate,
    })),
  }
}

/** Returns where records lead; null when no name server answered. */
export function leadingTo(
  records: readonly string[] | null,
  expected: readonly string[],
): Pick<NameState, 'dns' | 'cdn'> {
  const is = (dns: NameState['dns'], cdn: string | null = null) => ({ dns, cdn })
  if (records === null) return is('unknown')
  if (records.length === 0) return is('none')
  const here = records.filter((record) => expected.includes(record)).length
  if (here === records.length) return is('here')
  if (here > 0) return is('both')
  const [cdn, ...others] = new Set(records.map(cdnOf))
  if (cdn !== undefined && others.length === 0) return is('cdn', cdn)
  // The dashboard reaches the server through a private network: its public address is not known.
  return is(expected.every(isPrivate) && !records.every(isPrivate) ? 'unknown' : 'elsewhere')
}
