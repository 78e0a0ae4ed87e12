import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call, type Sent } from './client.ts'
import { callSite, type SiteBody, type SitePlace } from './site-call.ts'

/** The same report, as a client of the agency reads it. */
export const clientReportQuery = (site_id: number, month: string | undefined) =>
  queryOptions({
    queryKey: ['site', site_id, 'report', month ?? null],
    queryFn: async ({ signal }) =>
      (
        await call('GET /api/client/sites/:site_id/report', {
          params: { site_id },
          query: { month },
          signal,
        })
      ).report,
    placeholderData: keepPreviousData,
  })

/** The report of a month; undefined: the last complete one. */
export const reportQuery = (site: SitePlace, month: string | undefined) =>
  queryOptions({
    queryKey: ['site', site.id, 'report', month ?? null],
    queryFn: async ({ signal }) =>
      (await callSite(site, 'GET report', { query: { month }, signal })).report,
    placeholderData: keepPreviousData,
  })

export const reportMailQuery = (site: SitePlace) =>
  queryOptions({
    queryKey: ['site', site.id, 'report-mail'],
    queryFn: async () => (await callSite(site, 'GET report/mail')).mail,
  })

export const changeReportMail = (site: SitePlace, body: SiteBody<'PUT report/mail'>) =>
  callSite(site, 'PUT report/mail', { body })

export type RecipientsChange = Sent<'PATCH /api/fleet/reports/recipients'>['body']

/** Changes who gets the reports of many sites; with `dry_run` it only returns what would change. */
export const changeRecipients = (body: RecipientsChange) =>
  call('PATCH /api/fleet/reports/recipients', { body })

export const testReport = (site: SitePlace, month: string) =>
  callSite(site, 'POST report/test', { body: { month } })

export const sendReport = async (site: SitePlace, month: string) =>
  (await callSite(site, 'POST report/send', { body: { month } })).mail

export const brandingQuery = queryOptions({
  queryKey: ['branding'],
  queryFn: async () => (await call('GET /api/fleet/branding')).branding,
})

interface NewBranding {
  name: string
  color: string
  reply_to: string
  closing: string
}

export const changeBranding = (body: NewBranding) => call('PUT /api/fleet/branding', { body })

/** Uploads the content of an image file. */
export const changeLogo = async (file: Blob) =>
  call('PUT /api/fleet/branding/logo', { body: { image: await base64Of(file) } })

export const deleteLogo = () => call('DELETE /api/fleet/branding/logo')

function base64Of(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onerror = () => reject(reader.error)
    // A data URL: `data:image/png;base64,…`.
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''))
    reader.readAsDataURL(file)
  })
}
