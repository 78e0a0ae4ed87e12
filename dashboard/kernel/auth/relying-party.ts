import { isIP } from 'node:net'
import { conflict } from '#shared/kernel/errors.ts'

/** The dashboard as passkeys know it: the host of its public address, and the origin of its pages. */
export interface RelyingParty {
  id: string
  origin: string
}

/**
 * Returns the relying party of a public address, or why it has none. No request has a say in it:
 * a passkey is bound to the host, so a forged Host header would make one for another site.
 */
export function relyingPartyOf(
  public_url: string | undefined,
): { party: RelyingParty; problem: null } | { party: null; problem: string } {
  const off = (problem: string) => ({ party: null, problem })
  if (public_url === undefined)
    return off('Passkeys are off: PUBLIC_URL is not set in the environment of the dashboard')
  const { protocol, hostname, origin } = new URL(public_url)
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0)
    return off('Passkeys are off: PUBLIC_URL has an IP address, and they need a host name')
  // The only host that browsers trust without TLS.
  if (protocol !== 'https:' && hostname !== 'localhost')
    return off('Passkeys are off: PUBLIC_URL has no https')
  return { party: { id: hostname, origin }, problem: null }
}

/** Returns the relying party. Throws 409 with `passkeys_off` where passkeys cannot work. */
export function getRelyingParty({ public_url }: { public_url: string | undefined }): RelyingParty {
  const { party, problem } = relyingPartyOf(public_url)
  if (party === null) throw conflict(problem, 'passkeys_off')
  return party
}
