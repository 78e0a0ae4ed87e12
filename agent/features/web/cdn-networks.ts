import type { Host } from '#agent/kernel/host/ports.ts'
import { pathProblem } from '#agent/kernel/sandbox/reading/root-owned.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { isIpLiteral } from '#shared/kernel/names.ts'
import { CDNS, type Cdn } from '#shared/sites/cdn.ts'

const MAX_BYTES = 64 << 10
const MAX_NETWORKS = 500
/** The minimum length of a prefix: a wider network would trust half of the Internet by a slip. */
const MIN_PREFIX = { ipv4: 8, ipv6: 19 }

/**
 * Reads the networks that root adds to those of a CDN: lines such as `Cloudflare 203.0.113.0/24`.
 * Throws conflict with the line and the rule that it breaks, before anything is written.
 */
export async function ownNetworks(host: Host, cdn: Cdn): Promise<string[]> {
  const { cdn_networks_file: file } = host.settings
  if (file === undefined) return []
  const problem = await pathProblem(host, file)
  if (problem !== undefined) throw conflict(`The networks of CDNs cannot be read: ${problem}`)
  const text = (await host.files.read(file, MAX_BYTES)) ?? ''
  const networks = text.split('\n').flatMap((line, at) => {
    const read = parseLine(line.replace(/#.*/, '').trim())
    if (typeof read === 'string') throw conflict(`${file} line ${at + 1}: ${read}`)
    return read
  })
  if (networks.length > MAX_NETWORKS)
    throw conflict(`${file} has more than ${MAX_NETWORKS} networks`)
  return networks.filter((one) => one.cdn === cdn).map(({ network }) => network)
}

/** Returns a string for a line that breaks a rule. */
function parseLine(line: string): string | { cdn: Cdn; network: string }[] {
  if (line === '') return []
  const [name = '', network = '', ...more] = line.split(/\s+/)
  const cdn = CDNS.find((each) => each === name)
  if (!cdn) return `must begin with one of ${CDNS.join(', ')}`
  if (more.length > 0) return 'must have one network'
  return isNetwork(network)
    ? [{ cdn, network }]
    : `must have a network such as 203.0.113.0/24, from /${MIN_PREFIX.ipv4} (IPv6: /${MIN_PREFIX.ipv6}) on`
}

function isNetwork(network: string): boolean {
  const [, address = '', digits = ''] = /^([0-9A-Fa-f.:]+)\/(\d{1,3})$/.exec(network) ?? []
  if (!isIpLiteral(address)) return false
  const bits = Number(digits)
  const [least, most] = address.includes(':') ? [MIN_PREFIX.ipv6, 128] : [MIN_PREFIX.ipv4, 32]
  return bits >= least && bits <= most
}
