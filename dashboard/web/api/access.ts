import { queryOptions } from '@tanstack/react-query'
import type { ClientLogin } from '#shared/access/api/access.ts'
import { call, type Sent, start } from './client.ts'
import type { SiteWork } from './site-work.ts'
import type { SitePlace } from './sites.ts'

const at = ({ id, server_id }: SitePlace) => ({ server_id, site_id: id })

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
    queryFn: async () =>
      (await call('GET /api/servers/:server_id/sites/:site_id/access', { params: at(site) }))
        .access,
  })

export type Access = Sent<'PUT /api/servers/:server_id/sites/:site_id/access'>['body']

/** Replaces the whole list. */
export const setAccess = (site: SitePlace, access: Access): SiteWork => ({
  key: ['access', site.id, access],
  call: (more) =>
    start('PUT /api/servers/:server_id/sites/:site_id/access', {
      params: at(site),
      body: { ...access, ...more },
    }),
})

type NewClient = Sent<'POST /api/servers/:server_id/sites/:site_id/access/clients'>['body']

/** Returns the password, which is not stored; the query client never has it. */
export async function createClient(site: SitePlace, body: NewClient): Promise<ClientLogin> {
  const path = 'POST /api/servers/:server_id/sites/:site_id/access/clients'
  return loginIn(await call(path, { params: at(site), body }))
}

/**
 * Sets a new password, which ends all sessions of the site. `expires_at`: until when the account is
 * valid.
 */
export async function resetClientPassword(
  site: SitePlace,
  token: string,
  expires_at: string | null,
): Promise<ClientLogin> {
  const path = 'POST /api/servers/:server_id/sites/:site_id/access/clients/password'
  return loginIn(await call(path, { params: at(site), body: { token, expires_at } }))
}

export const endClient = (site: SitePlace, token: string) =>
  call('POST /api/servers/:server_id/sites/:site_id/access/clients/end', {
    params: at(site),
    body: { token },
  })

function loginIn(answer: ClientLogin | { plan: unknown }): ClientLogin {
  if ('plan' in answer) throw new Error('The answer has no login')
  return answer
}
