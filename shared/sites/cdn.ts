/**
 * The published networks of content delivery networks, to be compared with these lists before each
 * release: cloudflare.com/ips, api.fastly.com/public-ip-list, docs.sucuri.net.
 */
export const CDN_NETWORKS = {
  Cloudflare: [
    '173.245.48.0/20',
    '103.21.244.0/22',
    '103.22.200.0/22',
    '103.31.4.0/22',
    '141.101.64.0/18',
    '108.162.192.0/18',
    '190.93.240.0/20',
    '188.114.96.0/20',
    '197.234.240.0/22',
    '198.41.128.0/17',
    '162.158.0.0/15',
    '104.16.0.0/13',
    '104.24.0.0/14',
    '172.64.0.0/13',
    '131.0.72.0/22',
    '2400:cb00::/32',
    '2606:4700::/32',
    '2803:f800::/32',
    '2405:b500::/32',
    '2405:8100::/32',
    '2a06:98c0::/29',
    '2c0f:f248::/32',
  ],
  Fastly: [
    '23.235.32.0/20',
    '43.249.72.0/22',
    '103.244.50.0/24',
    '103.245.222.0/23',
    '103.245.224.0/24',
    '104.156.80.0/20',
    '140.248.64.0/18',
    '140.248.128.0/17',
    '146.75.0.0/17',
    '151.101.0.0/16',
    '157.52.64.0/18',
    '167.82.0.0/17',
    '167.82.128.0/20',
    '167.82.160.0/20',
    '167.82.224.0/20',
    '172.111.64.0/18',
    '185.31.16.0/22',
    '199.27.72.0/21',
    '199.232.0.0/16',
    '2a04:4e40::/32',
    '2a04:4e42::/32',
  ],
  Sucuri: [
    '192.88.134.0/23',
    '185.93.228.0/22',
    '66.248.200.0/22',
    '208.109.0.0/22',
    '2a02:fe80::/29',
  ],
} as const satisfies Record<string, readonly string[]>

export type Cdn = keyof typeof CDN_NETWORKS

export const CDNS = Object.keys(CDN_NETWORKS) as [Cdn, ...Cdn[]]

/**
 * The header in which each of them reports the address of the visitor. Cloudflare always writes its own. The others
 * append the address to a list, of which the last one that is not theirs counts.
 */
export const VISITOR_HEADERS: Record<Cdn, { name: string; is_list: boolean }> = {
  Cloudflare: { name: 'CF-Connecting-IP', is_list: false },
  Fastly: { name: 'X-Forwarded-For', is_list: true },
  Sucuri: { name: 'X-Forwarded-For', is_list: true },
}
