import { Elysia } from 'elysia'
import type { Deps } from '#dashboard/deps.ts'
import { bodyOrDryRun, readJson } from '#dashboard/http/body.ts'
import { OPERATION_HEADER } from '#shared/agent.ts'
import { RestoreSite } from '#shared/api/sites.ts'
import { parse } from '#shared/parse.ts'
import { place, refuseFound } from '../place.ts'
import { planRestore, purgeSite, restoreSite } from './leave-trash.ts'
import { listTrash } from './queries.ts'

/** The two ways out of the trash. */
export function trashRoutes(deps: Deps) {
  return new Elysia({ prefix: '/servers/:server_id/sites/:site_id' })
    .post('/restore', async ({ request, params, set, status }) => {
      const { accept, dry_run } = parse(RestoreSite, await bodyOrDryRun(request))
      const target = await place(deps, request, params)
      refuseFound(target.site)
      if (dry_run) return planRestore(deps, target, accept)
      const { operation_id, ...body } = await restoreSite(deps, target, accept)
      set.headers[OPERATION_HEADER] = operation_id
      return status(202, body)
    })
    .post('/purge', async ({ request, params, set, status }) => {
      const input = await readJson(request)
      const target = await place(deps, request, params)
      refuseFound(target.site)
      const purged = await purgeSite(deps, target, input)
      if ('plan' in purged) return purged
      const { operation_id, ...body } = purged
      set.headers[OPERATION_HEADER] = operation_id
      return status(202, body)
    })
}

export function trashListRoutes({ db }: Deps) {
  return new Elysia().get('/trash', async () => ({ trash: await listTrash(db) }))
}
