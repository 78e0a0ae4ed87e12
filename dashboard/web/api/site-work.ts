import { queryOptions } from '@tanstack/react-query'
import type { Plan } from '#shared/plan.ts'
import { begin } from './begin.ts'
import type { SitePlace } from './sites.ts'

/** A call that begins an operation of a site and that, with `dry_run`, tells what it would do. */
export interface SiteWork {
  method: 'POST' | 'PATCH' | 'DELETE'
  path: string
  input: object
  /** What may be changed of others, by the words of its plan. */
  accept?: readonly string[]
}

const pathOf = ({ id, server_id }: SitePlace) => `/api/servers/${server_id}/sites/${id}`

interface SiteChange {
  php?: string
  tier?: string
  database_routines?: boolean
  xmlrpc?: boolean
}

export const changeSite = (site: SitePlace, input: SiteChange): SiteWork => ({
  method: 'PATCH',
  path: pathOf(site),
  input,
})

/** Gives it a certificate, renews it or takes it away. */
export const issueTls = (site: SitePlace, tls: string): SiteWork => ({
  method: 'POST',
  path: `${pathOf(site)}/tls`,
  input: { tls },
})

/** Reads its WordPress; has no plan, since it changes nothing. */
export const scanSite = ({ id, server_id }: SitePlace): SiteWork => ({
  method: 'POST',
  path: `/api/servers/${server_id}/wp-scan`,
  input: { site_id: id },
})

/** To the trash. */
export const deleteSite = (site: SitePlace): SiteWork => ({
  method: 'DELETE',
  path: pathOf(site),
  input: {},
})

export const restoreSite = (site: SitePlace): SiteWork => ({
  method: 'POST',
  path: `${pathOf(site)}/restore`,
  input: {},
})

/** Permanently. */
export const purgeSite = (site: SitePlace & { domain: string }): SiteWork => ({
  method: 'POST',
  path: `${pathOf(site)}/purge`,
  input: { domain: site.domain },
})

/** Begins it; the id of the operation, when it became one. */
export async function beginWork(work: SiteWork): Promise<string | undefined> {
  const { method, path, input, accept } = work
  return (await begin(method, path, { ...input, ...(accept && { accept }) })).operation_id
}

/** What it would do now, as the agent reads it from the machine. */
export const planQuery = ({ method, path, input }: SiteWork) =>
  queryOptions({
    queryKey: ['plan', method, path, input],
    queryFn: async () => {
      const { body } = await begin(method, path, { ...input, dry_run: true })
      return (body as { plan: Plan }).plan
    },
    // Asked for once: while the work runs there is no plan of it. The next dialog requests it again.
    refetchInterval: false,
    refetchOnWindowFocus: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  })
