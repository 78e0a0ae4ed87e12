import { BlockList, isIP, isIPv6 } from 'node:net'
import { PRIVATE_NETWORKS, SPECIAL_NETWORKS } from '#shared/kernel/special-networks.ts'
import { CDN_NETWORKS } from '#shared/sites/cdn.ts'

/** By which a network without IPv4 reaches IPv4 addresses (RFC 6052), private ones too. */
const NAT64 = '64:ff9b::/96'

const family = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')

const special = listOf([...SPECIAL_NETWORKS, NAT64])
const privately = listOf(PRIVATE_NETWORKS)
const cdns = listOf(Object.values(CDN_NETWORKS).flat())

export const isIpv6 = (address: string): boolean => isIPv6(address)

/** Whether the address of a DNS record may be contacted: nobody but its owner chooses it. */
export const mayBeAsked = (address: string, isPrivateToo: boolean): boolean =>
  isIP(address) !== 0 && !isIn(special, address) && (isPrivateToo || !isIn(privately, address))

/** A connection from a private address to a public one passes a translator (NAT). */
export const isBehindNat = (from: string | undefined, to: string): boolean =>
  from !== undefined && isIn(privately, plain(from)) && !isIn(privately, to)

/** The address belongs to a content delivery network that is known. */
export const isOfCdn = (address: string): boolean => isIP(address) !== 0 && isIn(cdns, address)

const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, '')

const isIn = (list: BlockList, address: string) => list.check(address, family(address))

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    list.addSubnet(address, Number(bits), family(address))
  }
  return list
}
