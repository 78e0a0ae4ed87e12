import { queryOptions } from '@tanstack/react-query'
import { call, type Sent } from './client.ts'
import { withConfirmation } from './password-confirmation.ts'

type NewInvitation = Sent<'POST /api/people/:person_id/invitation'>['body']

/** Returns the link, which no later answer has. */
export const invitePerson = async (person_id: number, body: NewInvitation) => {
  const invited = await withConfirmation(() =>
    call('POST /api/people/:person_id/invitation', { params: { person_id }, body }),
  )
  return invited.invitation
}

export const revokeInvitation = (person_id: number) =>
  withConfirmation(() =>
    call('DELETE /api/people/:person_id/invitation', { params: { person_id } }),
  )

export const changeAccount = (
  person_id: number,
  body: Sent<'PATCH /api/people/:person_id/account'>['body'],
) =>
  withConfirmation(() =>
    call('PATCH /api/people/:person_id/account', { params: { person_id }, body }),
  )

export const deactivateAccount = (person_id: number) =>
  withConfirmation(() =>
    call('POST /api/people/:person_id/account/deactivate', { params: { person_id } }),
  )

export const activateAccount = (person_id: number) =>
  withConfirmation(() =>
    call('POST /api/people/:person_id/account/activate', { params: { person_id } }),
  )

export const removeAccount = (person_id: number) =>
  withConfirmation(() => call('DELETE /api/people/:person_id/account', { params: { person_id } }))

/** The sessions and API tokens of the account of a person. */
export const loginsQuery = (person_id: number) =>
  queryOptions({
    queryKey: ['people', person_id, 'logins'],
    queryFn: () => call('GET /api/people/:person_id/account/logins', { params: { person_id } }),
  })

/** The accounts that may do something on a server, or on one of its sites. */
export const whoMayQuery = ({ server_id, site_id }: { server_id: number; site_id?: number }) =>
  queryOptions({
    queryKey: ['who-may', server_id, site_id],
    queryFn: async () => {
      const { accounts } = await (site_id === undefined
        ? call('GET /api/servers/:server_id/rights', { params: { server_id } })
        : call('GET /api/servers/:server_id/sites/:site_id/rights', {
            params: { server_id, site_id },
          }))
      return accounts
    },
  })

/** The invitation of a token, for somebody without an account. */
export const invitationQuery = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: async () => (await call('POST /api/invitations/show', { body: { token } })).invitation,
    enabled: token !== '',
    retry: false,
    refetchOnWindowFocus: false,
    gcTime: 0,
  })

export const acceptInvitation = (body: Sent<'POST /api/invitations/accept'>['body']) =>
  call('POST /api/invitations/accept', { body })
