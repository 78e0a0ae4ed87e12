/** https://jetpack.com/ips-v4.txt of 2026-09-29; there is no list for IPv6. */
const JETPACK = [
  ...['122.248.245.244', '54.217.201.243', '54.232.116.4'],
  ...['192.0.64.0/18', '195.234.108.0/22'],
]

/** In a location: the first line that matches decides. */
export const renderJetpackOnly = (): string =>
  [...JETPACK.map((network) => `allow ${network};`), 'deny all;']
    .map((line) => `        ${line}\n`)
    .join('')
