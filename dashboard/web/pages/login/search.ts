/** For an address that is resolved before the page knows its own: no host has this name. */
const ANYWHERE = 'http://dashboard.invalid'

/** Where to go after the login: only an address of this dashboard. */
export function readLoginSearch({ to }: Record<string, unknown>): { to?: string } {
  const address = typeof to === 'string' ? ownAddress(to, ANYWHERE) : undefined
  return address === undefined ? {} : { to: address }
}

/**
 * The address as a browser at `origin` reads it, without the origin; undefined if it leads to another
 * one. A browser takes backslashes for slashes, and drops tabs and line breaks.
 */
export function ownAddress(to: string, origin: string): string | undefined {
  if (!to.startsWith('/') || !URL.canParse(to, origin)) return undefined
  const { origin: found, pathname, search, hash } = new URL(to, origin)
  const address = pathname + search + hash
  // `/.//evil.example` has our origin, and a path that is another host when it is read again.
  if (found !== origin || address.startsWith('//')) return undefined
  return address
}
