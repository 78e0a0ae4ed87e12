import { queryOptions } from '@tanstack/react-query'
import type { DomainStates } from '#shared/domains/name-states.ts'
import { ONCE } from './query-client.ts'
import {
  callSite,
  type SiteBody,
  type SitePlace,
  siteWork,
  startSiteOperation,
} from './site-call.ts'

export const domainsQuery = (site: SitePlace) =>
  queryOptions({
    queryKey: ['site', site.id, 'domains'],
    queryFn: async () => (await callSite(site, 'GET domains')).domains,
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
    queryFn: () => callSite(site, 'GET domains/states'),
    refetchInterval: ({ state: { data } }) => pauseMs(data),
    retry: false,
  })

export type Names = SiteBody<'PUT domains'>

/** Replaces all names of a site except its primary domain. */
export const setDomains = (site: SitePlace, names: Names) => siteWork(site, 'PUT domains', names)

/** The id of the operation that reports what a change of the primary domain would replace. */
export const primaryPreviewQuery = (site: SitePlace, primary: string) =>
  queryOptions({
    queryKey: ['primary-preview', site.id, primary],
    queryFn: () => startSiteOperation(site, 'POST domains/primary/preview', { body: { primary } }),
    ...ONCE,
  })

export const setPrimary = (site: SitePlace, input: SiteBody<'POST domains/primary'>) =>
  siteWork(site, 'POST domains/primary', input)
