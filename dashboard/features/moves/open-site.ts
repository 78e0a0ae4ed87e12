import { z } from 'zod'
import { messageOf, offline } from '#shared/kernel/errors.ts'
import { Done, isRefusal } from './move-parts.ts'
import type { MoveSession } from './move-session.ts'
import { addressesOrOffline, switchSite } from './switch-site.ts'

/** The maximum of attempts: a restart of the agent ends a call, and the site stays moved. */
const MAX_ATTEMPTS = 3

/** Opens the site on the new server, which then serves everybody. */
export async function openOnNewServer(session: MoveSession): Promise<void> {
  const { parts, site, other } = session
  const title = `Opening ${site.domain} on ${other.name}`
  await parts.once('open', title, Done, () => openWithRetries(session))
}

async function openWithRetries(session: MoveSession): Promise<true> {
  const { parts, here, other } = session
  const tries = parts.get('tries', z.number()) ?? 1
  const peers = await addressesOrOffline(here)
  // An agent repeats no call: each has its own id.
  const id = tries === 1 ? 'arrived' : `arrived-${tries}`
  try {
    await switchSite(session, { id, server: other, state: 'arrived', peers })
    return true
  } catch (error) {
    if (!isRefusal(error) || tries >= MAX_ATTEMPTS) throw error
    await parts.log(`Trying again: ${messageOf(error)}`)
    await parts.keep('tries', tries + 1)
    // The next attempt comes after a pause.
    throw offline(messageOf(error))
  }
}
