import type { StreamDeps } from '#dashboard/kernel/engine/operation-answers.ts'
import { ASKS_AGENT } from '#dashboard/kernel/http/answers.ts'
import { routesWith } from '#dashboard/kernel/http/route.ts'
import { loadManagedSite } from '#dashboard/kernel/targets/load-site.ts'
import { SiteUsers, StartedLogin, StartLogin } from '#shared/wordpress/api/wp-login.ts'
import { listSiteUsers } from './list-users.ts'
import { startLogin } from './start-login.ts'

const route = routesWith<StreamDeps>()

export const wordpressLoginRoutes = {
  listSiteUsers: route({
    at: 'GET /api/servers/:server_id/sites/:site_id/wordpress-users',
    summary: 'List the users of the WordPress of a site',
    details:
      'Read from the site, without customers and subscribers: administrators first, at most 50.',
    right: 'read',
    loads: loadManagedSite,
    answers: { 200: { about: 'The users.', json: SiteUsers } },
    errors: ['conflict', 'offline'],
    run: ({ deps, loaded }) => listSiteUsers(deps, loaded),
  }),
  startWordpressLogin: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/wordpress-login',
    summary: 'Log in to the WordPress of a site',
    details: 'Answers with a token that is valid once, for a minute. The activity records it.',
    right: 'secrets',
    needs_session: true,
    needs_confirmation: true,
    loads: loadManagedSite,
    body: StartLogin,
    answers: {
      200: {
        about: 'The token, and the address that the browser sends it to.',
        json: StartedLogin,
      },
    },
    errors: ASKS_AGENT,
    waits: true,
    run: ({ deps, loaded, body }) => startLogin(deps, loaded, body.user_id),
  }),
}
