const FIRST = 127

/** Returns the loopback address of a server with this number. */
export const hostnameOf = (number: number): string =>
  `${FIRST}.${1 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`

/** Returns the number of the server at an address, which IPv6 may write as `::ffff:127.1.0.7`. */
export function numberOf(address: string): number {
  const [, high = 0, middle = 0, low = 0] = address.replace('::ffff:', '').split('.').map(Number)
  return ((high - 1) << 16) + (middle << 8) + low
}
