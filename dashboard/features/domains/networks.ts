import { BlockList, isIP, isIPv6 } from 'node:net'
import { CDN_NETWORKS } from '#shared/sites/cdn.ts'

const PRIVATE = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '::1/128',
  'fc00::/7',
  'fe80::/10',
]

const family = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')

function blockListOf(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    list.addSubnet(address, Number(bits), family(address))
  }
  return list
}

const CDNS = Object.entries(CDN_NETWORKS).map(([name, networks]) => ({
  name,
  list: blockListOf(networks),
}))
const privateNetworks = blockListOf(PRIVATE)

export const cdnOf = (address: string): string | undefined =>
  CDNS.find(({ list }) => isIP(address) && list.check(address, family(address)))?.name

export const isPrivate = (address: string): boolean =>
  isIP(address) !== 0 && privateNetworks.check(address, family(address))
