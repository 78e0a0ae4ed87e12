import { temporaryOf } from '#agent/kernel/database/temporary-accounts.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { getSite } from '#agent/kernel/site/sites.ts'
import type { AgentDatabaseUser } from '#shared/database/database-user.ts'

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
