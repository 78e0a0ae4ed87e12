import { queryOptions } from '@tanstack/react-query'
import { call, type Sent } from './client.ts'
import { withConfirmation } from './password-confirmation.ts'
import { ONCE } from './query-client.ts'
import { callSite, type SiteBody, type SitePlace } from './site-call.ts'

export const dnsAccountsQuery = queryOptions({
  queryKey: ['dns-accounts'],
  queryFn: async () => (await call('GET /api/dns-accounts')).accounts,
})

export const addDnsAccount = (body: Sent<'POST /api/dns-accounts'>['body']) =>
  withConfirmation(() => call('POST /api/dns-accounts', { body }))

type Change = Sent<'PATCH /api/dns-accounts/:account_id'>['body']

/** Also reads the zones again. */
export const changeDnsAccount = (account_id: number, body: Change) =>
  withConfirmation(() =>
    call('PATCH /api/dns-accounts/:account_id', { params: { account_id }, body }),
  )

export const removeDnsAccount = (account_id: number) =>
  withConfirmation(() => call('DELETE /api/dns-accounts/:account_id', { params: { account_id } }))

export const setDnsRecords = (site: SitePlace, body: SiteBody<'POST domains/records'>) =>
  callSite(site, 'POST domains/records', { body })

/** Cloudflare counts a call for each name, and allows 1,200 in five minutes. */
const MAX_REPEATED = 10

/** The records that lead names to a server. Read again, since others may change the zone. */
export const namesPlanQuery = (server_id: number, names: readonly string[]) =>
  queryOptions({
    queryKey: ['dns-plan', server_id, names],
    queryFn: async () =>
      (
        await call('POST /api/servers/:server_id/dns-plan', {
          params: { server_id },
          body: { names: [...names] },
        })
      ).names,
    refetchInterval: names.length > MAX_REPEATED ? false : 15_000,
    retry: false,
  })

/** What `setDnsRecords` would do. */
export const dnsPlanQuery = (site: SitePlace, name: string) =>
  queryOptions({
    queryKey: ['site', site.id, 'domains', 'records', name],
    queryFn: () => setDnsRecords(site, { name, dry_run: true }),
    ...ONCE,
  })

const purge = (site: SitePlace, dry_run: boolean) =>
  callSite(site, 'POST cdn-purge', { body: { dry_run } })

export const purgeCdn = (site: SitePlace) => purge(site, false)

/** What `purgeCdn` would purge. */
export const purgePlanQuery = (site: SitePlace) =>
  queryOptions({
    queryKey: ['site', site.id, 'cdn-purge'],
    queryFn: () => purge(site, true),
    ...ONCE,
  })
