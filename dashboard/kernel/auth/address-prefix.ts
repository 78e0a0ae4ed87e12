import { isIP } from 'node:net'

/**
 * The addresses of one client: an IPv4 address, or an IPv6 network of which each customer gets at
 * least one whole (/64, RFC 6177). An IPv4 address written as IPv6 is that IPv4 address.
 */
export function prefixOf(address: string): string {
  const [plain = ''] = address.split('%')
  if (isIP(plain) !== 6) return plain
  const groups = groupsOf(plain)
  const [high = 0, low = 0] = groups.slice(6)
  if (groups.slice(0, 6).join() === '0,0,0,0,0,65535')
    return [high >> 8, high & 255, low >> 8, low & 255].join('.')
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

/** The eight numbers of an IPv6 address. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const numbers = (text: string) =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
  if (tail === undefined) return numbers(head)
  const [left, right] = [numbers(head), numbers(tail)]
  return [...left, ...Array(8 - left.length - right.length).fill(0), ...right]
}
