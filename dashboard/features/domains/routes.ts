import { type StreamDeps, streamed } from '#dashboard/kernel/engine/operation-answers.ts'
import { shows } from '#dashboard/kernel/http/answers.ts'
import { routesWith } from '#dashboard/kernel/http/route.ts'
import { loadManagedSite } from '#dashboard/kernel/targets/load-site.ts'
import { PreviewPrimary, SetDomains, SetPrimary, SiteDomains } from '#shared/domains/api/domains.ts'
import { DomainStates } from '#shared/domains/name-states.ts'
import { namesOf } from './names.queries.ts'
import { domainStates } from './states.ts'

const route = routesWith<StreamDeps>()

export const domainRoutes = {
  showDomains: route({
    at: 'GET /api/servers/:server_id/sites/:site_id/domains',
    summary: 'Show the domains of a site',
    right: 'read',
    loads: loadManagedSite,
    answers: shows('Its names.', { domains: SiteDomains }),
    errors: ['conflict'],
    run: async ({ deps, loaded: { site } }) => ({
      domains: { primary: site.domain, ...(await namesOf(deps.db, site.id)) },
    }),
  }),
  showDomainStates: route({
    at: 'GET /api/servers/:server_id/sites/:site_id/domains/states',
    summary: 'Show the DNS records and the certificate of each name of a site',
    details: 'Looked up by the server at each call.',
    right: 'read',
    loads: loadManagedSite,
    answers: { 200: { about: 'As its server finds them now.', json: DomainStates } },
    errors: ['conflict', 'offline'],
    run: ({ deps, loaded }) => domainStates(deps, loaded),
  }),
  setDomains: route({
    at: 'PUT /api/servers/:server_id/sites/:site_id/domains',
    summary: 'Set the aliases and redirects of a site',
    details:
      'The whole list: a name that is left out is removed. A name belongs to one site of the fleet. A certificate for all names is requested. A name that the authority cannot reach is left out of it, and redirects to the primary domain until the certificate has it.',
    loads: loadManagedSite,
    body: SetDomains,
    ...streamed('site.domains'),
  }),
  previewPrimary: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/domains/primary/preview',
    summary: 'Report what a change of the primary domain of a site would replace',
    details:
      'By table and column, with the addresses that would stay, and the configuration files. Changes nothing.',
    loads: loadManagedSite,
    body: PreviewPrimary,
    ...streamed('site.rename-preview'),
  }),
  setPrimary: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/domains/primary',
    summary: 'Change the primary domain of a site',
    details:
      'The server provides a certificate for the new name first, and then changes the addresses in the database and in configuration files. The site keeps its id, system user, folders and database. If a step fails, the site keeps its former primary domain. 409 with the code `multisite` for a network of sites, `certificate_refused` if the authority refuses the new name, and `address_fixed` if WordPress does not take the new address.',
    loads: loadManagedSite,
    body: SetPrimary,
    ...streamed('site.rename'),
  }),
}
