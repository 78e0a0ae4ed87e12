import { recordCall } from '#dashboard/kernel/activity/record-call.ts'
import type { Agents } from '#dashboard/kernel/agents/agents.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import type { SiteTarget } from '#dashboard/kernel/targets/load-site.ts'
import type { SiteSession } from '#shared/access/api/access.ts'
import { endSessionReading, openSessionsReading } from '#shared/access/readings.ts'
import { nameSessions } from './logins.queries.ts'

type Deps = Pick<CommonDeps, 'db' | 'clock'> & { agents: Agents }

/** Lists the sessions of a site that are open now, as its server reports them at each call. */
export async function listOpenSessions(
  { db, agents }: Pick<Deps, 'db' | 'agents'>,
  { server, site }: SiteTarget,
): Promise<SiteSession[]> {
  const { sessions } = await agents.call(server, openSessionsReading, { domain: site.domain })
  const names = await nameSessions(db, site.id, sessions)
  return sessions.map(({ id, at, kind, address }, place) => {
    const who = names[place] ?? ''
    return { id, at, kind, address, who }
  })
}

/** Ends one session of a site, and no other one. Throws 404 if it is not open. */
export async function endOpenSession(deps: Deps, target: SiteTarget, id: string): Promise<void> {
  const { server, site } = target
  const params = { domain: site.domain, id }
  await recordCall(
    deps,
    target,
    'site.session_end',
    () => deps.agents.call(server, endSessionReading, params),
    async ({ session }) => {
      const [who] = await nameSessions(deps.db, site.id, [session])
      return `${who}, from ${session.address}, since ${session.at}`
    },
  )
}
