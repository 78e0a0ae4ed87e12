import { Elysia } from 'elysia'
import type { Deps } from '#dashboard/deps.ts'
import { bodyOrDryRun, readJson } from '#dashboard/http/body.ts'
import { inBackground } from '#dashboard/sites/in-background.ts'
import { loadSite } from '#dashboard/targets/load-site.ts'
import { PurgeSite, RestoreSite } from '#shared/api/sites.ts'
import { invalid } from '#shared/errors.ts'
import { parse } from '#shared/parse.ts'
import { listTrash } from './queries.ts'

/** The two ways out of the trash. */
export function trashRoutes(deps: Deps) {
  return new Elysia({ prefix: '/servers/:server_id/sites/:site_id' })
    .post('/restore', async ({ request, params, set }) => {
      const input = parse(RestoreSite, await bodyOrDryRun(request))
      const target = await loadSite(deps, request, params)
      return inBackground(deps, 'site.restore', { target, input, as: 'provisioning' }, set)
    })
    .post('/purge', async ({ request, params, set }) => {
      const body = await readJson(request)
      const target = await loadSite(deps, request, params)
      const { domain, dry_run } = parse(PurgeSite, body)
      if (domain !== target.site.domain)
        throw invalid({ domain: ['Must be the domain of the site'] })
      return inBackground(deps, 'site.purge', { target, input: { dry_run }, as: 'deleting' }, set)
    })
}

export function trashListRoutes({ db }: Deps) {
  return new Elysia().get('/trash', async () => ({ trash: await listTrash(db) }))
}
