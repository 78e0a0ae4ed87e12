import { queryOptions } from '@tanstack/react-query'
import type { ClientLogin } from '#shared/access/api/access.ts'
import { call } from './client.ts'
import { callSite, type SiteBody, type SitePlace, siteWork } from './site-call.ts'

export const peopleQuery = queryOptions({
  queryKey: ['people'],
  queryFn: async () => (await call('GET /api/people')).people,
})

export const createPerson = (name: string) => call('POST /api/people', { body: { name } })

export const removePerson = (person_id: number) =>
  call('DELETE /api/people/:person_id', { params: { person_id } })

export const addKey = (person_id: number, key: string) =>
  call('POST /api/people/:person_id/keys', { params: { person_id }, body: { key } })

export const removeKey = (person_id: number, key_id: number) =>
  call('DELETE /api/people/:person_id/keys/:key_id', { params: { person_id, key_id } })

export const accessQuery = (site: SitePlace) =>
  queryOptions({
    queryKey: ['site', site.id, 'access'],
    queryFn: async () => (await callSite(site, 'GET access')).access,
  })

/** Asks the server again whenever the page is shown: sessions begin and end without the dashboard. */
export const accessSessionsQuery = (site: SitePlace) =>
  queryOptions({
    queryKey: ['site', site.id, 'access', 'sessions'],
    queryFn: async () => (await callSite(site, 'GET access/sessions')).sessions,
    staleTime: 0,
  })

export const endAccessSession = (site: SitePlace, id: string) =>
  callSite(site, 'POST access/sessions/end', { body: { id } })

/** Replaces the whole list. */
export const setAccess = (site: SitePlace, access: SiteBody<'PUT access'>) =>
  siteWork(site, 'PUT access', access)

/** Returns the password, which is not stored; the query client never has it. */
export const createClient = async (site: SitePlace, body: SiteBody<'POST access/clients'>) =>
  loginIn(await callSite(site, 'POST access/clients', { body }))

/**
 * Sets a new password, which ends all sessions of the site. `expires_at`: until when the account is
 * valid.
 */
export const resetClientPassword = async (
  site: SitePlace,
  token: string,
  expires_at: string | null,
) => loginIn(await callSite(site, 'POST access/clients/password', { body: { token, expires_at } }))

export const endClient = (site: SitePlace, token: string) =>
  callSite(site, 'POST access/clients/end', { body: { token } })

function loginIn(answer: ClientLogin | { plan: unknown }): ClientLogin {
  if ('plan' in answer) throw new Error('The answer has no login')
  return answer
}
