import { BlockList, isIP, isIPv6 } from 'node:net'
import { PRIVATE_NETWORKS, SPECIAL_NETWORKS } from '#shared/kernel/special-networks.ts'
import { CDN_NETWORKS } from '#shared/sites/cdn.ts'

/** The prefix by which a network without IPv4 reaches IPv4 addresses (RFC 6052), also private. */
const NAT64 = '64:ff9b::/96'

const family = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')

const specialNetworks = listOf([...SPECIAL_NETWORKS, NAT64])
const privateNetworks = listOf(PRIVATE_NETWORKS)
const cdnNetworks = listOf(Object.values(CDN_NETWORKS).flat())

export const isIpv6 = (address: string): boolean => isIPv6(address)

/** Returns whether the address of a DNS record may be contacted: only its owner chooses it. */
export const mayBeContacted = (address: string, isPrivateToo: boolean): boolean =>
  isIP(address) !== 0 &&
  !isIn(specialNetworks, address) &&
  (isPrivateToo || !isIn(privateNetworks, address))

/** Returns whether a translator (NAT) is on the way: from a private address to a public one. */
export const isBehindNat = (from: string | undefined, to: string): boolean =>
  from !== undefined && isIn(privateNetworks, plain(from)) && !isIn(privateNetworks, to)

export const isOfCdn = (address: string): boolean =>
  isIP(address) !== 0 && isIn(cdnNetworks, address)

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
