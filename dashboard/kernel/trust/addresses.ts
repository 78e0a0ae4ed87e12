import type { LookupAddress } from 'node:dns'
import { BlockList, isIP } from 'node:net'
import { lookupHost } from '#dashboard/kernel/runtime/lookup.ts'
import { offline } from '#shared/kernel/errors.ts'
import { PRIVATE_NETWORKS, SPECIAL_NETWORKS } from '#shared/kernel/special-networks.ts'

/** The ranges without agents. */
const specialNetworks = blockList(SPECIAL_NETWORKS)
const privateNetworks = blockList(PRIVATE_NETWORKS)

export interface AddressRules {
  /** Whether the addresses are checked: in development everything is allowed, loopback too. */
  production: boolean
  allow_private: boolean
}

/** Returns why a connection to this IP address is refused; undefined when it is allowed. */
function refusalOf(address: string, { production, allow_private }: AddressRules) {
  if (!production) return undefined
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (matches(specialNetworks, plain))
    return `${address} is an address of this machine, its provider or a reserved range`
  if (allow_private || !matches(privateNetworks, plain)) return undefined
  return `${address} is in a private network; set PRIVATE_ADDRESSES=allow when your servers are there`
}

export const isAllowed = (address: string, rules: AddressRules): boolean =>
  refusalOf(address, rules) === undefined

/** Throws offline for a refused IP literal; names are checked when they are resolved. */
export function checkLiteral(hostname: string, rules: AddressRules): void {
  const reason = isIP(hostname) ? refusalOf(hostname, rules) : undefined
  if (reason) throw offline(`The server is not contacted: ${reason}`)
}

const LOOKUP_MS = 1_000

/** Returns why this dashboard will not connect to a host. Throws if its name cannot be resolved. */
export async function refusedHost(
  hostname: string,
  rules: AddressRules,
): Promise<string | undefined> {
  if (!rules.production) return undefined
  if (isIP(hostname)) return refusalOf(hostname, rules)
  const found = await lookupHost(hostname)
  return found.map(({ address }) => refusalOf(address, rules)).find((reason) => reason)
}

/** Returns the same for a server, if known within a second. */
export async function obstacleOf(
  hostname: string,
  rules: AddressRules,
): Promise<string | undefined> {
  const known = refusedHost(hostname, rules).catch(() => undefined)
  return Promise.race([known, Bun.sleep(LOOKUP_MS).then(() => undefined)])
}

type Callback = (error: Error | null, address: LookupAddress[]) => void

/** Returns a `lookup` for node:net that checks every returned address, at each new connection. */
export function checkedLookup(rules: AddressRules) {
  return (hostname: string, _options: object, callback: Callback) => {
    lookupHost(hostname).then(
      (found) => {
        const reasons = found.map(({ address }) => refusalOf(address, rules))
        const reason = reasons.find((text) => text !== undefined)
        if (reason) callback(offline(`The server is not contacted: ${reason}`), [])
        else callback(null, found)
      },
      (error: Error) => callback(error, []),
    )
  }
}

/** Makes a list of ranges, those of IPv4 also in their NAT64 form (RFC 6052). */
function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    if (isIP(address) === 6) list.addSubnet(address, Number(bits), 'ipv6')
    else {
      list.addSubnet(address, Number(bits), 'ipv4')
      list.addSubnet(`64:ff9b::${address}`, 96 + Number(bits), 'ipv6')
    }
  }
  return list
}

function matches(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}
