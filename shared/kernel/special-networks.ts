/**
 * The ranges that the IANA special-purpose address registries (RFC 6890) list as not globally
 * reachable, the metadata services of providers, and the IPv6 forms that carry an IPv4 address
 * through a tunnel or a translator (RFC 2765, 3056, 4291 2.5.5.1, 4380, 8215).
 */
export const SPECIAL_NETWORKS = [
  '0.0.0.0/8',
  '127.0.0.0/8',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/96',
  '::ffff:0:0:0/96',
  '64:ff9b:1::/48',
  '100::/64',
  '100:0:0:1::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
] as const

/** The address ranges of private networks (RFC 1918, 4193, 6598). */
export const PRIVATE_NETWORKS = [
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  'fc00::/7',
] as const
