import type { Host } from '#agent/kernel/host/ports.ts'
import { NGINX } from '#agent/kernel/services/debian-services.ts'
import { isWide, type ListenPlaces, PORTS } from './listen-places.ts'
import { abilitiesOf } from './nginx-abilities.ts'
import { listServers } from './nginx-servers.ts'

/** Returns notes of a plan about the addresses of a new virtual host beside foreign sites. */
export async function listeningNotes(host: Host): Promise<string[]> {
  if (!(await host.files.stat(NGINX.program))) return []
  const { places } = await abilitiesOf(host, await listServers(host))
  return places ? notesAbout(places, await hasIpv6(host)) : []
}

/** Returns whether there is an address of the scope `00`, for visitors: proc(5), if_inet6. */
async function hasIpv6({ files }: Host): Promise<boolean> {
  const lines = (await files.read('/proc/1/net/if_inet6')) ?? ''
  return /^[0-9a-f]{32} \S+ \S+ 00 /m.test(lines)
}

export function notesAbout(
  { addresses }: Pick<ListenPlaces, 'addresses'>,
  ipv6: boolean,
): string[] {
  const ports = PORTS.filter((port) => ipv6 && !addresses[port].some((on) => on.startsWith('[')))
  const all = [...addresses[80], ...addresses[443]]
  const specific = [...new Set(all.filter((place) => !isWide(place)))]
  const by_ipv4 = `Visitors reach port ${ports.join(' and ')} of the site by IPv4 only, since the other sites of this server do not listen on IPv6 there: its name needs no AAAA record.`
  const shared = `The site also listens on ${specific.join(' and ')}, because other sites of this server listen there.`
  return [...(ports.length > 0 ? [by_ipv4] : []), ...(specific.length > 0 ? [shared] : [])]
}
