import { queryOptions } from '@tanstack/react-query'
import type {
  MailSettingView,
  ServerMailView,
  SiteMailCounts,
  SiteMailView,
} from '#shared/api/mail.ts'
import { begin } from './begin.ts'
import { api, take } from './client.ts'

/** A server, or one of its sites. */
export interface MailTarget {
  server_id: number
  site_id?: number
}

export type MailSetting = MailSettingView
export type MailOfSite = SiteMailCounts

/** What both pages show of it. */
export interface MailState {
  setting: MailSetting
  /** Of a site: that of its server. */
  server?: MailSetting
  sends: boolean
  running: boolean | null
  sites: MailOfSite[] | null
}

const pathOf = ({ server_id, site_id }: MailTarget) =>
  site_id === undefined
    ? `/api/servers/${server_id}/mail`
    : `/api/servers/${server_id}/sites/${site_id}/mail`

export const mailQuery = ({ server_id, site_id }: MailTarget) =>
  queryOptions({
    queryKey: ['mail', server_id, site_id ?? null],
    queryFn: async (): Promise<MailState> => {
      const server = api.servers({ server_id })
      if (site_id === undefined) return ofServer((await take(server.mail.get())).mail)
      return ofSite((await take(server.sites({ site_id }).mail.get())).mail)
    },
    refetchInterval: 10_000,
  })

const ofServer = (mail: ServerMailView): MailState => mail

const ofSite = ({ counts, ...mail }: SiteMailView): MailState => ({
  ...mail,
  sites: counts && [counts],
})

/** The id of the operation that does it. */
export async function setMail(target: MailTarget, input: object): Promise<string> {
  return named(await begin('PUT', pathOf(target), input))
}

export async function testMail(target: MailTarget, to: string): Promise<string> {
  return named(await begin('POST', `${pathOf(target)}/test`, { to }))
}

function named({ operation_id }: { operation_id: string | undefined }): string {
  if (operation_id === undefined) throw new Error('The dashboard did not name the operation')
  return operation_id
}
