import type { Agents } from '#dashboard/agents/agents.ts'
import { refuseOld } from '#dashboard/agents/old-agent.ts'
import type { SiteTarget } from '#dashboard/targets/load-site.ts'
import type { SiteUsers } from '#shared/api/wp-login.ts'
import { WordpressUsers } from '#shared/wp-login.ts'

/** Read from the site at each call, and not stored. */
export async function listSiteUsers(
  { agents }: { agents: Agents },
  { server, site }: SiteTarget,
): Promise<SiteUsers> {
  const ask = (body: object) => agents.post(server, '/sites/wordpress-users', body, WordpressUsers)
  return ask({ domain: site.domain }).catch((error: unknown) =>
    refuseOld(error, 'cannot list the users of a site', () => ask({})),
  )
}
