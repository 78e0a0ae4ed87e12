import type { Host } from '#agent/host/ports.ts'
import { temporaryOf } from '#agent/os/database/temporary-accounts.ts'
import { getSite } from '#agent/os/site/sites.ts'
import type { AgentDatabaseUser } from '#shared/database-user.ts'

/** The temporary users of the database of a site, those that end first at the top. */
export async function listDatabaseUsers(host: Host, domain: string): Promise<AgentDatabaseUser[]> {
  const site = await getSite(host, domain)
  const all = await temporaryOf(host, site.user)
  return all
    .toSorted((a, b) => a.ends - b.ends)
    .map(({ user, rights, ends }) => ({
      ...{ user, rights, ends_at: new Date(ends * 1000).toISOString() },
    }))
}
