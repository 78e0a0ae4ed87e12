import { localAddresses, shortestAddress } from '#agent/features/existing/web/backends.ts'
import type {
  NginxListen,
  NginxServer,
  NginxServers,
} from '#agent/features/existing/web/nginx-servers.ts'
import type { Host } from '#agent/kernel/host/ports.ts'

export const PORTS = [80, 443] as const
type Port = (typeof PORTS)[number]

/** The addresses on which sites listen beside foreign servers, so that visitors reach both. */
export interface ListenPlaces {
  /** The arguments of `listen` without parameters: `80`, `[::]:80`, `10.0.0.5:80`. */
  addresses: Record<Port, readonly string[]>
  /** True for the parameter of nginx before 1.25.1, which applies to all servers of an address. */
  http2_word: boolean
}

/** Returns whether it is all addresses of IPv4 or IPv6. */
export const isWide = (place: string) => /^(\[::\]:)?\d+$/.test(place)

/**
 * Chooses the addresses: a server on a specific address hides all servers that listen on every
 * address. IPv6 is not used if foreign servers answer on IPv4 only: their names may have an IPv6
 * address, which refuses connections, so that visitors use IPv4.
 */
export function placesBeside({ others, all }: NginxServers, ipv6: boolean): ListenPlaces {
  const on = (port: Port, servers: readonly NginxServer[]) =>
    servers.flatMap(({ listens }) => listens.filter((listen) => listen.port === port))
  const addresses = (port: Port) => addressesOf(port, on(port, others), on(port, all), ipv6)
  const http2 = on(443, all).some(({ words }) => words.includes('http2'))
  return {
    addresses: { 80: addresses(80), 443: addresses(443) },
    http2_word: http2 || on(443, others).length === 0,
  }
}

/** Keeps addresses that a site uses already. */
function addressesOf(
  port: Port,
  others: readonly NginxListen[],
  all: readonly NginxListen[],
  ipv6: boolean,
): string[] {
  const wide = all.filter(({ address }) => address === '[::]')
  const specific = new Set(
    others.map(({ address }) => address).filter((address) => address !== '*' && address !== '[::]'),
  )
  const both = wide.some(({ words }) => words.includes('ipv6only=off'))
  const six = ipv6 && (others.length === 0 || wide.length > 0)
  return [
    ...(both ? [] : [`${port}`]),
    ...(six ? [`[::]:${port}`] : []),
    ...[...specific].map((address) => `${address}:${port}`),
  ]
}

/**
 * Returns the addresses of this machine that a virtual host names. nginx can also listen on one
 * that another machine has now (net.ipv4.ip_nonlocal_bind): no visitor reaches it there.
 */
export async function specificAddresses(
  host: Pick<Host, 'files'>,
  vhost: string,
): Promise<string[]> {
  const local = await localAddresses(host)
  return [...vhost.matchAll(/^\s*listen (\S+):80;/gm)]
    .map(([, address = '']) => address.replace(/^\[|\]$/g, ''))
    .filter((address) => local.has(shortestAddress(address)))
}
