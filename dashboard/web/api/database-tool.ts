import type { OpenedTool } from '#shared/database/api/site-database.ts'
import type { UserRights } from '#shared/database/database-user.ts'
import { call } from './client.ts'
import type { SitePlace } from './sites.ts'

/** The browser gets the cookie with the answer: a page cannot read it. */
export const openDatabaseTool = (site: SitePlace, rights: UserRights): Promise<OpenedTool> =>
  call('POST /api/servers/:server_id/sites/:site_id/database/tool', {
    params: { server_id: site.server_id, site_id: site.id },
    body: { rights },
  })
