import { awaited, doneOrPlan, type StreamDeps } from '#dashboard/kernel/engine/operation-answers.ts'
import { routesWith } from '#dashboard/kernel/http/route.ts'
import { loadManagedSite } from '#dashboard/kernel/targets/load-site.ts'
import { OnlyDryRun } from '#shared/kernel/api/body.ts'
import {
  type ActionOf,
  actionOf,
  SITE_ACTIONS,
  type SiteActionType,
} from '#shared/operation-types.ts'

const SITE = 'POST /api/servers/:server_id/sites/:site_id'

const route = routesWith<StreamDeps>()

function actionRoute(type: SiteActionType) {
  const { path, summary, done } = actionOf(type)
  const definition = route({
    at: `${SITE}/path`,
    summary,
    details: 'Waits for the outcome.',
    loads: loadManagedSite,
    body: OnlyDryRun,
    ...awaited(type),
    run: (call) => doneOrPlan(call, type, `${done} ${call.loaded.site.domain}`),
  })
  return { ...definition, at: `${SITE}/${path}` }
}

type ActionRoute<K extends SiteActionType> = Omit<ReturnType<typeof actionRoute>, 'at'> & {
  at: `${typeof SITE}/${ActionOf<K>['path']}`
}

/** The routes for operations on a site, one for each type. */
export const derivedRoutes = Object.fromEntries(
  SITE_ACTIONS.map((type) => [actionOf(type).call, actionRoute(type)]),
) as { [K in SiteActionType as ActionOf<K>['call']]: ActionRoute<K> }
