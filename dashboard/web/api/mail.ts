import { queryOptions } from '@tanstack/react-query'
import type {
  MailSettingView,
  ServerMailView,
  SiteMailCounts,
  SiteMailView,
} from '#shared/api/mail.ts'
import { beginOperation } from './begin.ts'
import { call, type Sent } from './client.ts'

/** A server, or one of its sites. */
export interface MailTarget {
  server_id: number
  site_id?: number
}

export type MailSetting = MailSettingView
export type MailOfSite = SiteMailCounts

/** What the pages of servers and sites show. */
export interface MailState {
  setting: MailSetting
  /** Of a site: that of its server. */
  server?: MailSetting
  sends: boolean
  running: boolean | null
  sites: MailOfSite[] | null
}

export const mailQuery = ({ server_id, site_id }: MailTarget) =>
  queryOptions({
    queryKey: ['mail', server_id, site_id ?? null],
    queryFn: async (): Promise<MailState> => {
      if (site_id === undefined) {
        const params = { server_id }
        return ofServer((await call('GET /api/servers/:server_id/mail', { params })).mail)
      }
      const params = { server_id, site_id }
      return ofSite(
        (await call('GET /api/servers/:server_id/sites/:site_id/mail', { params })).mail,
      )
    },
    refetchInterval: 10_000,
  })

const ofServer = (mail: ServerMailView): MailState => mail

const ofSite = ({ counts, ...mail }: SiteMailView): MailState => ({
  ...mail,
  sites: counts && [counts],
})

type NewMail = Sent<'PUT /api/servers/:server_id/mail'>['body']

/** The id of the operation that does it. */
export async function setMail({ server_id, site_id }: MailTarget, body: NewMail): Promise<string> {
  if (site_id === undefined)
    return beginOperation('PUT /api/servers/:server_id/mail', { params: { server_id }, body })
  const params = { server_id, site_id }
  return beginOperation('PUT /api/servers/:server_id/sites/:site_id/mail', { params, body })
}

export async function testMail({ server_id, site_id }: MailTarget, to: string): Promise<string> {
  const body = { to }
  if (site_id === undefined)
    return beginOperation('POST /api/servers/:server_id/mail/test', { params: { server_id }, body })
  const params = { server_id, site_id }
  return beginOperation('POST /api/servers/:server_id/sites/:site_id/mail/test', { params, body })
}
