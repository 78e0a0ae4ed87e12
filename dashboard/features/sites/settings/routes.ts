import { type StreamDeps, streamed } from '#dashboard/kernel/engine/operation-answers.ts'
import { shows } from '#dashboard/kernel/http/answers.ts'
import { routesWith } from '#dashboard/kernel/http/route.ts'
import { loadManagedSite } from '#dashboard/kernel/targets/load-site.ts'
import { ShownStaging } from '#shared/copies/api/copies.ts'
import { ConfigureSite, SiteSettingsView } from '#shared/sites/api/site-settings.ts'
import { showPassword, showSettings } from './show-settings.ts'

const route = routesWith<StreamDeps>()

export const siteSettingsRoutes = {
  getSiteSettings: route({
    at: 'GET /api/servers/:server_id/sites/:site_id/settings',
    summary: 'Show the settings of a site',
    right: 'read',
    loads: loadManagedSite,
    answers: shows('Its settings, and what its tier allows.', { settings: SiteSettingsView }),
    errors: ['conflict'],
    run: async ({ deps, loaded }) => ({ settings: await showSettings(deps.db, loaded.site) }),
  }),
  configureSite: route({
    at: 'PATCH /api/servers/:server_id/sites/:site_id/settings',
    summary:
      'Set the PHP settings, maintenance page, password, page cache, access to xmlrpc.php, trusted CDN and security headers of a site',
    details:
      'PHP is tested with the new settings before they take effect, and answers requests meanwhile. If a step fails, the former settings are restored.',
    loads: loadManagedSite,
    body: ConfigureSite,
    ...streamed('site.configure'),
  }),
  showSitePassword: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/visitor-password',
    summary: 'Show the user and password that visitors of a protected site need',
    details: 'The activity records the access.',
    right: 'secrets',
    needs_confirmation: true,
    loads: loadManagedSite,
    answers: { 200: { about: 'User and password.', json: ShownStaging } },
    errors: ['conflict'],
    run: ({ deps, loaded }) => showPassword(deps, loaded),
  }),
}
