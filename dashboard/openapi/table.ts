import { activityApi } from '#dashboard/activity/api.ts'
import { authApi } from '#dashboard/auth/api.ts'
import { RIGHTS, type Right } from '#dashboard/auth/rights.ts'
import { bulkApi } from '#dashboard/bulk/api.ts'
import type { Description, Descriptions } from '#dashboard/http/describe.ts'
import { serverMailApi, siteMailApi } from '#dashboard/mail/api.ts'
import { historyApi } from '#dashboard/metrics/api.ts'
import { operationApi } from '#dashboard/operations/api.ts'
import { fleetApi } from '#dashboard/overview/api.ts'
import { serverApi } from '#dashboard/servers/api.ts'
import { settingsApi } from '#dashboard/settings/api.ts'
import { siteActionApi } from '#dashboard/sites/actions.api.ts'
import { siteApi } from '#dashboard/sites/api.ts'
import { ignoreApi } from '#dashboard/sites/ignore/api.ts'
import { trashApi } from '#dashboard/sites/trash/api.ts'
import { downloadApi, trustApi } from '#dashboard/trust/api.ts'
import { keyApi } from '#dashboard/trust/keys/api.ts'
import { healthApi, openApiApi } from './api.ts'

interface Subject {
  about: string
  routes: Descriptions
}

/** Every route of the dashboard, by subject. A route that is not here fails a test. */
const TABLE: Readonly<Record<string, Subject>> = {
  Authentication: { about: 'Sessions, passwords and API tokens.', routes: authApi },
  Fleet: { about: 'All servers and sites at a glance, as pages need them.', routes: fleetApi },
  Servers: {
    about: 'Machines that sites run on, and the trust between them and this dashboard.',
    routes: { ...serverApi, ...serverMailApi, ...historyApi, ...trustApi },
  },
  Sites: {
    about: 'Web sites on a server, from their creation to the trash.',
    routes: { ...siteApi, ...siteActionApi, ...ignoreApi, ...siteMailApi },
  },
  Trash: { about: 'Sites that were deleted, until they are purged.', routes: trashApi },
  Operations: {
    about: 'Work on a server or a site, stored with its events.',
    routes: operationApi,
  },
  'Bulk operations': { about: 'The same for many sites or servers.', routes: bulkApi },
  Activity: { about: 'What was done, and by whom.', routes: activityApi },
  Settings: { about: 'What holds for the whole dashboard.', routes: settingsApi },
  Keys: { about: 'What this dashboard signs its requests to agents with.', routes: keyApi },
  Service: {
    about: 'The dashboard itself.',
    routes: { ...healthApi, ...downloadApi, ...openApiApi },
  },
}

export const TAGS = Object.entries(TABLE).map(([name, { about }]) => ({ name, description: about }))

export interface Route extends Description {
  id: string
  tag: string
  method: string
  /** As OpenAPI writes it: `/api/servers/{server_id}`. */
  path: string
  right: Right
  /** For everybody. */
  open: boolean
  /** The names in braces. */
  names: readonly string[]
}

export const ROUTES: readonly Route[] = Object.entries(TABLE).flatMap(([tag, { routes }]) =>
  Object.entries(routes).map(([id, description]) => {
    const [method = '', path = ''] = description.route.split(' ')
    const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
    const right = RIGHTS[description.route]
    const open = right === 'open'
    return {
      ...description,
      right,
      open,
      id,
      tag,
      method,
      path: path.replace(/:(\w+)/g, '{$1}'),
      names,
    }
  }),
)
