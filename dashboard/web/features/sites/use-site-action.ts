import type { SitePlace } from '#dashboard/web/api/site-call.ts'
import { takeAction } from '#dashboard/web/api/sites.ts'
import { useAction } from '#dashboard/web/ui/use-call.ts'
import type { SiteActionType } from '#shared/operation-types.ts'

/** Does something to a site by its name alone; the message is the answer of its agent. */
export const useSiteAction = (site: SitePlace) =>
  useAction((type: SiteActionType) => takeAction(site, type), { done: (message) => message })
