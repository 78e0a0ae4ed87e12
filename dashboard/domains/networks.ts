import { BlockList, isIP, isIPv6 } from 'node:net'

/** The published networks of content delivery networks: cloudflare.com/ips, api.fastly.com. */
const NETWORKS: Record<string, readonly string[]> = {
  Cloudflare: [
    ...['173.245.48.0/20', '103.21.244.0/22', '103.22.200.0/22', '103.31.4.0/22'],
    ...['141.101.64.0/18', '108.162.192.0/18', '190.93.240.0/20', '188.114.96.0/20'],
    ...['197.234.240.0/22', '198.41.128.0/17', '162.158.0.0/15', '104.16.0.0/13'],
    ...['104.24.0.0/14', '172.64.0.0/13', '131.0.72.0/22', '2400:cb00::/32', '2606:4700::/32'],
    ...['2803:f800::/32', '2405:b500::/32', '2405:8100::/32', '2a06:98c0::/29', '2c0f:f248::/32'],
  ],
  Fastly: ['151.101.0.0/16', '199.232.0.0/16', '146.75.0.0/17', '2a04:4e40::/32', '2a04:4e42::/32'],
  Sucuri: ['192.88.134.0/23', '185.93.228.0/22', '66.248.200.0/22', '2a02:fe80::/29'],
}

const PRIVATE = [
  ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '127.0.0.0/8'],
  ...['169.254.0.0/16', '::1/128', 'fc00::/7', 'fe80::/10'],
]

const family = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    list.addSubnet(address, Number(bits), family(address))
  }
  return list
}

const CDNS = Object.entries(NETWORKS).map(([name, networks]) => ({ name, list: listOf(networks) }))
const privates = listOf(PRIVATE)

/** The content delivery network that has an address; undefined: none that is known. */
export const cdnOf = (address: string): string | undefined =>
  CDNS.find(({ list }) => isIP(address) && list.check(address, family(address)))?.name

export const isPrivate = (address: string): boolean =>
  isIP(address) !== 0 && privates.check(address, family(address))
