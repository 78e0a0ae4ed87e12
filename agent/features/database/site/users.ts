import { temporaryOf } from '#agent/kernel/database/temporary-accounts.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { getSite } from '#agent/kernel/site/sites.ts'
import type { AgentDatabaseUser } from '#shared/database/database-user.ts'

/** Lists the temporary users of the database of a site by the time of their end. */
export async function listDatabaseUsers(host: Host, domain: string): Promise<AgentDatabaseUser[]> {
  const site = await getSite(host, domain)
  const all = await temporaryOf(host, site.user)
  return all
    .toSorted((a, b) => a.ends - b.ends)
    .map(({ user, rights, ends }) => ({
      user,
      rights,
      ends_at: new Date(ends * 1000).toISOString(),
    }))
}
