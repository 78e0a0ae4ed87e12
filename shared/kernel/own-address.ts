/** The origin for an address that is read where no dashboard is known: no host has this name. */
const ANY_ORIGIN = 'http://dashboard.invalid'

/**
 * Returns the address as a browser at `origin` reads it, without the origin; undefined if it leads to
 * another one. A browser takes backslashes for slashes, and drops tabs and line breaks.
 */
export function ownAddress(to: string, origin: string = ANY_ORIGIN): string | undefined {
  if (!to.startsWith('/') || !URL.canParse(to, origin)) return undefined
  const { origin: found, pathname, search, hash } = new URL(to, origin)
  const address = pathname + search + hash
  // `/.//evil.example` has our origin, and a path that is another host when it is read again.
  if (found !== origin || address.startsWith('//')) return undefined
  return address
}
