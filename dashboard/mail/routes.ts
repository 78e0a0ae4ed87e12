import { Elysia } from 'elysia'
import { callerOf } from '#dashboard/auth/caller.ts'
import type { Deps } from '#dashboard/deps.ts'
import { readJson } from '#dashboard/http/body.ts'
import { streamJob } from '#dashboard/operations/stream.ts'
import { managedPlace, place, refuseFound, server } from '#dashboard/sites/place.ts'
import { setMail, testMail } from './set-mail.ts'
import { showServerMail, showSiteMail } from './show-mail.ts'

/** How the sites of a server send mail, and how one of them does. */
export function mailRoutes(deps: Deps) {
  return new Elysia({ prefix: '/servers/:server_id' })
    .get('/mail', async ({ params }) => ({
      mail: await showServerMail(deps, await server(deps, params)),
    }))
    .put('/mail', async ({ request, params, server: listener }) => {
      const input = await readJson(request)
      const target = { server: await server(deps, params), actor: callerOf(request).user.id }
      const job = await setMail(deps, target, input)
      return 'plan' in job ? job : streamJob(deps, job, { request, server: listener })
    })
    .post('/mail/test', async ({ request, params, server: listener }) => {
      const input = await readJson(request)
      const target = { server: await server(deps, params), actor: callerOf(request).user.id }
      const job = await testMail(deps, target, input)
      return 'plan' in job ? job : streamJob(deps, job, { request, server: listener })
    })
    .get('/sites/:site_id/mail', async ({ request, params }) => {
      const { server: home, site } = await place(deps, request, params)
      refuseFound(site)
      return { mail: await showSiteMail(deps, home, site) }
    })
    .put('/sites/:site_id/mail', async ({ request, params, server: listener }) => {
      const input = await readJson(request)
      const job = await setMail(deps, await managedPlace(deps, request, params), input)
      return 'plan' in job ? job : streamJob(deps, job, { request, server: listener })
    })
    .post('/sites/:site_id/mail/test', async ({ request, params, server: listener }) => {
      const input = await readJson(request)
      const job = await testMail(deps, await managedPlace(deps, request, params), input)
      return 'plan' in job ? job : streamJob(deps, job, { request, server: listener })
    })
}
