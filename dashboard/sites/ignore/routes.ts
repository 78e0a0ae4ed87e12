import { Elysia } from 'elysia'
import type { Deps } from '#dashboard/deps.ts'
import { readJson } from '#dashboard/http/body.ts'
import { loadLiveSite } from '#dashboard/targets/load-site.ts'
import { ignoreSite } from './ignore-site.ts'

export function ignoreRoutes(deps: Deps) {
  return new Elysia({ prefix: '/servers/:server_id/sites/:site_id' }).put(
    '/ignored',
    async ({ request, params }) => {
      const input = await readJson(request)
      return ignoreSite(deps, await loadLiveSite(deps, request, params), input)
    },
  )
}
