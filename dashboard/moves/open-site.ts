import { reachable } from '#dashboard/targets/addresses.ts'
import { messageOf, ServiceError } from '#shared/errors.ts'
import { Done } from './parts.ts'
import type { Session } from './session.ts'
import { switchSite } from './switch-site.ts'

/** A restart of the agent ends a call, and a site that has moved does not move back by itself. */
const TRIES = 3

/** The new server serves everybody. */
export async function opened(session: Session): Promise<void> {
  const { parts, site, other } = session
  const title = `Opening ${site.domain} on ${other.name}`
  await parts.once('open', title, Done, () => arrived(session, 1))
}

async function arrived(session: Session, tries: number): Promise<true> {
  const { parts, context, here, other } = session
  // An agent repeats no call: each has its own id.
  const id = tries === 1 ? 'arrived' : `arrived-${tries}`
  try {
    await switchSite(session, { id, server: other, state: 'arrived', peers: await reachable(here) })
    return true
  } catch (error) {
    const isOffline = error instanceof ServiceError && error.code === 'offline'
    if (isOffline || context.signal.aborted || tries === TRIES) throw error
    await parts.log(`Trying again: ${messageOf(error)}`)
    return arrived(session, tries + 1)
  }
}
