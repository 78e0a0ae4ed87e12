import type { Agents } from '#dashboard/agents/agents.ts'
import type { SiteTarget } from '#dashboard/targets/load-site.ts'
import type { SiteUsers } from '#shared/api/wp-login.ts'
import { conflict, type ErrorName, ServiceError } from '#shared/errors.ts'
import { WordpressUsers } from '#shared/wp-login.ts'

/** Read from the site at each call, and not stored. */
export async function listSiteUsers(
  { agents }: { agents: Agents },
  { server, site }: SiteTarget,
): Promise<SiteUsers> {
  const ask = (body: object) => agents.post(server, '/sites/wordpress-users', body, WordpressUsers)
  return ask({ domain: site.domain }).catch(async (error: unknown) => {
    if (!hasCode(error, 'not_found')) throw error
    // An agent that knows the call, and not the site, refuses a call without one.
    const other: unknown = await ask({}).catch((reason: unknown) => reason)
    if (!hasCode(other, 'not_found')) throw error
    throw conflict('The agent of this server cannot list the users of a site: upgrade it')
  })
}

const hasCode = (error: unknown, code: ErrorName): boolean =>
  error instanceof ServiceError && error.code === code
