import { z } from 'zod'
import type { ServerRow } from '#dashboard/db/rows.ts'
import { timestamp } from '#dashboard/runtime/clock.ts'
import type { Switch } from '#shared/moving.ts'
import { backedUp, sourceOf } from './backups.ts'
import { Done } from './parts.ts'
import type { Session } from './session.ts'

interface Switching {
  /** Of the call: each has one. */
  id: string
  server: ServerRow
  state: Switch
  peers?: string[]
  challenges?: boolean
  certificate?: string
}

/** Returns the certificate of that server; empty without one. */
export async function switchSite(
  { parts, site }: Session,
  { id, server, ...params }: Switching,
): Promise<string> {
  const call = { id, server, command: 'site.switch', params: { domain: site.domain, ...params } }
  return (await parts.call({ ...call, command: 'site.switch' })).certificate
}

/** Returns the certificate of the server that is frozen. From the first call on, nothing waits. */
export async function frozen(session: Session): Promise<string> {
  const { deps, parts, site, here } = session
  if (!parts.has('freezing')) await parts.keep('freezing', timestamp(deps.clock))
  return parts.once('frozen', `Freezing ${site.domain}`, z.string(), () =>
    switchSite(session, { id: 'frozen', server: here, state: 'frozen' }),
  )
}

/** Brings what has changed until the freeze. */
export async function caughtUp(session: Session): Promise<void> {
  const { parts, site, here, other } = session
  const since = parts.get('freezing', z.string()) ?? ''
  const title = `Backing up what has changed on ${here.name}`
  const backup = await parts.once('changes', title, z.number(), () => backedUp(session, since))
  await parts.once('caught up', `Bringing what has changed to ${other.name}`, Done, async () => {
    const params = { domain: site.domain, from: await sourceOf(session, backup) }
    await parts.call({ id: 'catch-up', server: other, command: 'site.catch-up', params })
    return true
  })
}
