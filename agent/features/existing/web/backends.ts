import type { Host } from '#agent/kernel/host/ports.ts'
import { wildcardFits } from './nginx-variables.ts'
import { isLoopback, type Listen, type VirtualHost } from './virtual-host.ts'

/** Finds the local server behind a proxy. */
export type Backends = (address: string, name: string) => VirtualHost | undefined

/** Finds backends by address and name: exact names, then wildcards, then servers for any name. */
export function backendsOf(hosts: readonly VirtualHost[], local: ReadonlySet<string>): Backends {
  const exact = new Map<string, VirtualHost>()
  const byPlace = new Map<string, VirtualHost[]>()
  for (const host of hosts) {
    for (const place of new Set(host.listens.map(portOrSocket))) {
      const here = byPlace.get(place) ?? []
      here.push(host)
      byPlace.set(place, here)
      for (const name of host.names) {
        const key = `${place} ${name.toLowerCase()}`
        if (!exact.has(key)) exact.set(key, host)
      }
    }
  }
  return (address, name) => {
    const place = placeOf(address, local)
    if (place === undefined) return undefined
    return exact.get(`${place} ${name}`) ?? answeringTo(name, byPlace.get(place) ?? [])
  }
}

const portOrSocket = ({ address, port }: Listen) =>
  port === 0 ? address.replace(/^unix:/, '') : String(port)

function answeringTo(name: string, hosts: readonly VirtualHost[]): VirtualHost | undefined {
  const wild = hosts.find(({ names }) => names.some((each) => wildcardFits(each, name)))
  return wild ?? hosts.find(({ listens }) => listens.some((listen) => listen.default))
}

/** Returns the port or socket path; undefined on another machine, or in a container. */
function placeOf(address: string, local: ReadonlySet<string>): string | undefined {
  if (address.startsWith('/')) return address
  const [, machine = '', port] = /^(.*):(\d+)$/.exec(address) ?? []
  return isLoopback(machine) || local.has(machine) ? port : undefined
}

/** Returns the addresses of this machine (proc(5)), IPv6 in its shortest form. */
export async function localAddresses({ files }: Pick<Host, 'files'>): Promise<Set<string>> {
  const read = async (name: string) =>
    (await files.read(`/proc/1/net/${name}`).catch(() => undefined)) ?? ''
  const four = (await read('fib_trie')).matchAll(/\|-- (\d+\.\d+\.\d+\.\d+)\n\s+\/32 host LOCAL/g)
  const six = (await read('if_inet6')).matchAll(/^([0-9a-f]{32}) /gm)
  return new Set([
    ...[...four].map(([, address = '']) => address),
    ...[...six].map(([, digits = '']) => shortestAddress(digits.match(/.{4}/g)?.join(':') ?? '')),
  ])
}

/** Shortens an address as in URLs (RFC 5952). */
export const shortestAddress = (address: string): string =>
  address.includes(':') ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address
