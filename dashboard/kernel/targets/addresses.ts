import { isIP } from 'node:net'
import { lookupHost } from '#dashboard/kernel/runtime/lookup.ts'
import { conflict } from '#shared/kernel/errors.ts'

const MAX_ADDRESSES = 16

/** Returns all addresses of a host name, in the same order each time. */
export async function addressesOf(hostname: string): Promise<string[]> {
  if (isIP(hostname)) return [hostname]
  const found = await lookupHost(hostname).catch(() => [])
  return [...new Set(found.map(({ address }) => address))].sort().slice(0, MAX_ADDRESSES)
}

/** Returns the addresses for other servers. Throws conflict if there are none. */
export async function requireAddresses({ name, hostname }: { name: string; hostname: string }) {
  const found = await addressesOf(hostname)
  if (found.length > 0) return found
  throw conflict(`${name} has no address: ${hostname} cannot be resolved`)
}
