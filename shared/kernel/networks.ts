import { isIpLiteral } from './names.ts'

/** An IP network: the bits of its first address, and how many of them its addresses have in common. */
interface Network {
  bits: string
  prefix: number
}

/**
 * Returns the normal form of an IP address or a network in CIDR notation: without host bits, IPv6 as
 * in RFC 5952, and IPv4 that is written as IPv6 as that IPv4. Undefined for any other text.
 */
export function canonicalNetwork(text: string): string | undefined {
  const network = networkOf(text)
  return network && textOf(network)
}

/** Whether an address, also with a zone, is in one of the networks; false for any other text. */
export function isInNetworks(address: string, networks: readonly string[]): boolean {
  const [plain = ''] = address.split('%')
  const one = plain.includes('/') ? undefined : networkOf(plain)
  if (!one) return false
  return networks.some((text) => {
    const network = networkOf(text)
    return (
      network !== undefined &&
      network.bits.length === one.bits.length &&
      one.bits.startsWith(network.bits.slice(0, network.prefix))
    )
  })
}

function networkOf(text: string): Network | undefined {
  const [address = '', suffix, ...rest] = text.split('/')
  if (rest.length > 0 || !isIpLiteral(address)) return undefined
  const bits = bitsOf(address)
  if (suffix !== undefined && !/^(0|[1-9]\d{0,2})$/.test(suffix)) return undefined
  const prefix = suffix === undefined ? bits.length : Number(suffix)
  return prefix > bits.length ? undefined : asIpv4({ bits, prefix })
}

const binary = (numbers: readonly number[], width: number) =>
  numbers.map((number) => number.toString(2).padStart(width, '0')).join('')

function bitsOf(address: string): string {
  if (!address.includes(':')) return binary(address.split('.').map(Number), 8)
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const groups = (part: string) =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16))
  const [left, right] = [groups(head), groups(tail ?? '')]
  return binary([...left, ...Array(8 - left.length - right.length).fill(0), ...right], 16)
}

/** The first bits of an IPv4 address that is written as IPv6 (RFC 4291 section 2.5.5.2). */
const MAPPED = binary([0, 0, 0, 0, 0, 0xffff], 16)

const asIpv4 = ({ bits, prefix }: Network): Network =>
  bits.startsWith(MAPPED) && prefix >= MAPPED.length
    ? { bits: bits.slice(MAPPED.length), prefix: prefix - MAPPED.length }
    : { bits, prefix }

function textOf({ bits, prefix }: Network): string {
  const first = bits.slice(0, prefix).padEnd(bits.length, '0')
  const isIpv4 = bits.length === 32
  const numbers = (first.match(isIpv4 ? /.{8}/g : /.{16}/g) ?? []).map((part) =>
    Number(`0b${part}`),
  )
  const address = isIpv4
    ? numbers.join('.')
    : new URL(`http://[${numbers.map((number) => number.toString(16)).join(':')}]`).hostname.slice(
        1,
        -1,
      )
  return prefix === bits.length ? address : `${address}/${prefix}`
}
