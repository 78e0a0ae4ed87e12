import { Elysia } from 'elysia'
import type { Deps } from '#dashboard/deps.ts'
import { readJson } from '#dashboard/http/body.ts'
import { streamOrPlan } from '#dashboard/operations/answer.ts'
import { startOrPlan } from '#dashboard/operations/start.ts'
import {
  loadManagedSite,
  loadServer,
  loadSite,
  refuseFound,
  serverTarget,
} from '#dashboard/targets/load-site.ts'
import { SetMail, TestMail } from '#shared/api/mail.ts'
import { parse } from '#shared/parse.ts'
import { showServerMail, showSiteMail } from './show-mail.ts'

/** How the sites of a server send mail, and how one of them does. */
export function mailRoutes(deps: Deps) {
  return new Elysia({ prefix: '/servers/:server_id' })
    .get('/mail', async ({ params }) => ({
      mail: await showServerMail(deps, await loadServer(deps, params)),
    }))
    .put('/mail', async ({ request, params, server: listener }) => {
      const input = await readJson(request)
      const target = await serverTarget(deps, request, params)
      const started = await startOrPlan(deps, 'mail.apply', target, parse(SetMail, input))
      return streamOrPlan(deps, started, { request, server: listener })
    })
    .post('/mail/test', async ({ request, params, server: listener }) => {
      const input = await readJson(request)
      const target = await serverTarget(deps, request, params)
      const started = await startOrPlan(deps, 'mail.check', target, parse(TestMail, input))
      return streamOrPlan(deps, started, { request, server: listener })
    })
    .get('/sites/:site_id/mail', async ({ request, params }) => {
      const { server: home, site } = await loadSite(deps, request, params)
      refuseFound(site)
      return { mail: await showSiteMail(deps, home, site) }
    })
    .put('/sites/:site_id/mail', async ({ request, params, server: listener }) => {
      const input = await readJson(request)
      const target = await loadManagedSite(deps, request, params)
      const started = await startOrPlan(deps, 'mail.apply', target, parse(SetMail, input))
      return streamOrPlan(deps, started, { request, server: listener })
    })
    .post('/sites/:site_id/mail/test', async ({ request, params, server: listener }) => {
      const input = await readJson(request)
      const target = await loadManagedSite(deps, request, params)
      const started = await startOrPlan(deps, 'mail.check', target, parse(TestMail, input))
      return streamOrPlan(deps, started, { request, server: listener })
    })
}
