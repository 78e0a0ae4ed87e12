import { BlockList, isIP } from 'node:net'

/**
 * The addresses that return the credentials of a cloud server: link-local ones (RFC 3927, RFC 4291)
 * and those that providers document elsewhere (AWS and Google Cloud by IPv6, Alibaba Cloud, Azure,
 * Oracle Cloud).
 */
export const METADATA = [
  '169.254.0.0/16',
  'fe80::/64',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
] as const

/** Returns whether an IP address is one of these, also inside IPv6 (RFC 4291 2.5.5.2, RFC 6052). */
export const isMetadata = (address: string): boolean =>
  isIP(address) !== 0 && metadata.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

const metadata = new BlockList()
for (const range of METADATA) {
  const [address = '', bits] = range.split('/')
  if (isIP(address) === 6) metadata.addSubnet(address, Number(bits), 'ipv6')
  else {
    metadata.addSubnet(address, Number(bits), 'ipv4')
    metadata.addSubnet(`::ffff:${address}`, 96 + Number(bits), 'ipv6')
    metadata.addSubnet(`64:ff9b::${address}`, 96 + Number(bits), 'ipv6')
  }
}
