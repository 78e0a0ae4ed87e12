import type { LookupAddress } from 'node:dns'

/** The codes of c-ares for a name without addresses; it could not find out for every other one. */
const MISSING = new Set(['DNS_ENOTFOUND', 'DNS_ENODATA'])

/**
 * Returns the addresses of a host name, from /etc/hosts and DNS. Throws ENOTFOUND for a name without
 * any, and EAI_AGAIN if no name server answers.
 *
 * The lookup of node:dns waits in a thread of the pool in which Bun also hashes passwords and reads
 * files, as many as the machine has processors: the names of two servers would keep everybody from
 * logging in for seconds while the name servers are silent.
 */
export async function lookupHost(hostname: string): Promise<LookupAddress[]> {
  try {
    const found = await Bun.dns.lookup(hostname, { backend: 'c-ares' })
    return found.map(({ address, family }) => ({ address, family }))
  } catch (error) {
    const code = MISSING.has(String(Object(error).code)) ? 'ENOTFOUND' : 'EAI_AGAIN'
    throw Object.assign(new Error(`${hostname} cannot be resolved: ${code}`), { code })
  }
}
