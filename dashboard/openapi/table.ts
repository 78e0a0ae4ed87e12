import { activityApi } from '#dashboard/activity/api.ts'
import { authApi } from '#dashboard/auth/api.ts'
import { bulkApi } from '#dashboard/bulk/api.ts'
import { fleetApi } from '#dashboard/fleet/api.ts'
import { historyApi } from '#dashboard/history/api.ts'
import { operationApi } from '#dashboard/operations/api.ts'
import { serverApi } from '#dashboard/servers/api.ts'
import { settingsApi } from '#dashboard/settings/api.ts'
import { siteActionApi } from '#dashboard/sites/actions.api.ts'
import { siteApi } from '#dashboard/sites/api.ts'
import { trashApi } from '#dashboard/sites/trash/api.ts'
import { downloadApi, trustApi } from '#dashboard/trust/api.ts'
import { keyApi } from '#dashboard/trust/keys/api.ts'
import { healthApi, openApiApi } from './api.ts'
import type { Description, Descriptions } from './describe.ts'

/** Every route of the dashboard, by subject. A route that is not here fails a test. */
const TABLE: Readonly<Record<string, Descriptions>> = {
  Authentication: authApi,
  Fleet: fleetApi,
  Servers: { ...serverApi, ...historyApi, ...trustApi },
  Sites: { ...siteApi, ...siteActionApi },
  Trash: trashApi,
  Operations: operationApi,
  'Bulk operations': bulkApi,
  Activity: activityApi,
  Settings: settingsApi,
  Keys: keyApi,
  Service: { ...healthApi, ...downloadApi, ...openApiApi },
}

export const TAGS = Object.keys(TABLE)

export interface Route extends Description {
  id: string
  tag: string
  method: string
  /** As OpenAPI writes it: `/api/servers/{server_id}`. */
  path: string
  /** The names in braces. */
  names: readonly string[]
}

export const ROUTES: readonly Route[] = Object.entries(TABLE).flatMap(([tag, described]) =>
  Object.entries(described).map(([id, description]) => {
    const [method = '', path = ''] = description.route.split(' ')
    const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
    return { ...description, id, tag, method, path: path.replace(/:(\w+)/g, '{$1}'), names }
  }),
)
