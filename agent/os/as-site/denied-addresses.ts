/**
 * Addresses that return the credentials of a cloud server: link-local ones (RFC 3927, RFC 4291) and
 * those that providers document elsewhere (AWS by IPv6, Alibaba Cloud, Oracle Cloud).
 */
const METADATA = [
  '169.254.0.0/16',
  'fe80::/64',
  'fd00:ec2::254/128',
  '100.100.100.200/32',
  '192.0.0.192/32',
]

/** Directives of systemd.resource-control(5). */
export function deniedAddresses(resolv_conf: string): string {
  const servers = [...resolv_conf.matchAll(/^\s*nameserver\s+([0-9a-fA-F.:]+)/gm)]
  const allowed = servers.map(([, address = '']) => address.toLowerCase()).filter(isDenied)
  const denied = `IPAddressDeny=${METADATA.join(' ')}`
  return allowed.length > 0 ? `${denied}\nIPAddressAllow=${allowed.join(' ')}` : denied
}

const isDenied = (address: string) =>
  /^(169\.254\.|fe80:)/.test(address) || METADATA.some((range) => range.split('/')[0] === address)
