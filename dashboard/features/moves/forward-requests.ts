import { z } from 'zod'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { Done, isRefusal } from './move-parts.ts'
import type { MoveSession } from './move-session.ts'
import { addressesOrOffline, switchSite } from './switch-site.ts'

/**
 * Lets the server only forward requests from then on, over TLS if the other one has a certificate.
 * This call decides the move; an operation that continues an undecided one starts here.
 */
export async function forwardRequests(session: MoveSession): Promise<void> {
  const { deps, parts, here, other } = session
  const way = { challenges: true, certificate: parts.get('certificate', z.string()) ?? '' }
  const title = `Forwarding all requests to ${other.name}`
  await parts.once('parted', title, Done, async () => {
    // A call that is repeated to learn its result is the same one.
    const peers = parts.get('parting', z.array(z.string())) ?? (await addressesOrOffline(other))
    await parts.keep('parting', peers)
    try {
      await switchSite(session, { id: 'parted', server: here, state: 'parted', peers, ...way })
    } catch (error) {
      if (isRefusal(error)) await parts.keep('parting', undefined)
      throw error
    }
    await parts.keep('thawed', timestamp(deps.clock))
    return true
  })
}

/** Returns the seconds from the call that froze the site to the end of the one that forwards. */
export function frozenSeconds({ parts }: MoveSession): number {
  const [from, to] = ['freezing', 'thawed'].map((name) => parts.get(name, z.string()))
  if (from === undefined || to === undefined) return 0
  return Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 100) / 10)
}
