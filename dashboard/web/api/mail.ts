import { queryOptions } from '@tanstack/react-query'
import type { ServerMailView, SiteMailView } from '#shared/mail/api/mail.ts'
import { call, type Sent, startOperation } from './client.ts'
import { withConfirmation } from './password-confirmation.ts'
import { callSite, startSiteOperation } from './site-call.ts'

/** A server, or one of its sites. */
export interface MailTarget {
  server_id: number
  site_id?: number
}

/** What the pages of servers and sites show. Of a site, `server` has the setting of its server. */
export type MailState = ServerMailView & Partial<Pick<SiteMailView, 'server'>>

export const mailQuery = ({ server_id, site_id }: MailTarget) =>
  queryOptions({
    queryKey: ['mail', server_id, site_id ?? null],
    queryFn: async (): Promise<MailState> => {
      if (site_id === undefined)
        return (await call('GET /api/servers/:server_id/mail', { params: { server_id } })).mail
      const { mail } = await callSite({ id: site_id, server_id }, 'GET mail')
      const { counts, ...state } = mail
      return { ...state, sites: counts && [counts] }
    },
    refetchInterval: 10_000,
  })

type NewMail = Sent<'PUT /api/servers/:server_id/mail'>['body']

/** Changes the setting; returns the id of the operation. */
export const setMail = ({ server_id, site_id }: MailTarget, body: NewMail): Promise<string> =>
  withConfirmation(() =>
    site_id === undefined
      ? startOperation('PUT /api/servers/:server_id/mail', { params: { server_id }, body })
      : startSiteOperation({ id: site_id, server_id }, 'PUT mail', { body }),
  )

/** Sends one message; returns the id of the operation. */
export const testMail = ({ server_id, site_id }: MailTarget, to: string): Promise<string> =>
  site_id === undefined
    ? startOperation('POST /api/servers/:server_id/mail/test', {
        params: { server_id },
        body: { to },
      })
    : startSiteOperation({ id: site_id, server_id }, 'POST mail/test', { body: { to } })
