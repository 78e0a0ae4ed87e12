import type { Agents } from '#dashboard/kernel/agents/agents.ts'
import type { SiteTarget } from '#dashboard/kernel/targets/load-site.ts'
import type { SiteUsers } from '#shared/wordpress/api/wp-login.ts'
import { wordpressUsersReading } from '#shared/wordpress/readings.ts'

/** Reads the users from the site at each call, and stores nothing. */
export async function listSiteUsers(
  { agents }: { agents: Agents },
  { server, site }: SiteTarget,
): Promise<SiteUsers> {
  return agents.call(server, wordpressUsersReading, { domain: site.domain })
}
