import { queryOptions } from '@tanstack/react-query'
import type { DomainStates } from '#shared/domains/name-states.ts'
import { call, type Sent, start, startOperation } from './client.ts'
import { ONCE } from './query-client.ts'
import type { SiteWork } from './site-work.ts'
import type { SitePlace } from './sites.ts'

const at = ({ id, server_id }: SitePlace) => ({ server_id, site_id: id })

export const domainsQuery = (site: SitePlace) =>
  queryOptions({
    queryKey: ['site', site.id, 'domains'],
    queryFn: async () =>
      (await call('GET /api/servers/:server_id/sites/:site_id/domains', { params: at(site) }))
        .domains,
  })

const RUNNING = ['checking', 'issuing']
const SOON = ['waiting', 'renewing']

/** Until the states are read again: soon while a request for a certificate is running. */
function pauseMs(states: DomainStates | undefined): number {
  const is = (some: readonly string[]) =>
    states?.names.some(({ certificate }) => some.includes(certificate.state))
  if (is(RUNNING)) return 2000
  return is(SOON) ? 10_000 : 60_000
}

/** Looked up by the server of the site; while a request is running, once in ten seconds. */
export const domainStatesQuery = (site: SitePlace) =>
  queryOptions({
    queryKey: ['site', site.id, 'domains', 'states'],
    queryFn: () =>
      call('GET /api/servers/:server_id/sites/:site_id/domains/states', { params: at(site) }),
    refetchInterval: ({ state: { data } }) => pauseMs(data),
    retry: false,
  })

export type Names = Sent<'PUT /api/servers/:server_id/sites/:site_id/domains'>['body']

/** Replaces all names of a site except its primary domain. */
export const setDomains = (site: SitePlace, names: Names): SiteWork => ({
  key: ['domains', site.id, names],
  call: (more) =>
    start('PUT /api/servers/:server_id/sites/:site_id/domains', {
      params: at(site),
      body: { ...names, ...more },
    }),
})

/** The id of the operation that reports what a change of the primary domain would replace. */
export const primaryPreviewQuery = (site: SitePlace, primary: string) =>
  queryOptions({
    queryKey: ['primary-preview', site.id, primary],
    queryFn: () =>
      startOperation('POST /api/servers/:server_id/sites/:site_id/domains/primary/preview', {
        params: at(site),
        body: { primary },
      }),
    ...ONCE,
  })

type Primary = Sent<'POST /api/servers/:server_id/sites/:site_id/domains/primary'>['body']

export const setPrimary = (site: SitePlace, input: Primary): SiteWork => ({
  key: ['primary', site.id, input],
  call: (more) =>
    start('POST /api/servers/:server_id/sites/:site_id/domains/primary', {
      params: at(site),
      body: { ...input, ...more },
    }),
})
