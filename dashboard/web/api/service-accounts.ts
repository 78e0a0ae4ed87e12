import { queryOptions } from '@tanstack/react-query'
import { call, type Sent } from './client.ts'
import { withConfirmation } from './password-confirmation.ts'

export const serviceAccountsQuery = queryOptions({
  queryKey: ['service-accounts'],
  queryFn: async () => (await call('GET /api/service-accounts')).service_accounts,
})

export const createServiceAccount = (body: Sent<'POST /api/service-accounts'>['body']) =>
  withConfirmation(() => call('POST /api/service-accounts', { body }))

export const changeServiceAccount = (
  account_id: number,
  body: Sent<'PATCH /api/service-accounts/:account_id'>['body'],
) =>
  withConfirmation(() =>
    call('PATCH /api/service-accounts/:account_id', { params: { account_id }, body }),
  )

export const deactivateServiceAccount = (account_id: number) =>
  withConfirmation(() =>
    call('POST /api/service-accounts/:account_id/deactivate', { params: { account_id } }),
  )

export const activateServiceAccount = (account_id: number) =>
  withConfirmation(() =>
    call('POST /api/service-accounts/:account_id/activate', { params: { account_id } }),
  )

export const removeServiceAccount = (account_id: number) =>
  withConfirmation(() =>
    call('DELETE /api/service-accounts/:account_id', { params: { account_id } }),
  )

/** Returns the text of the token, which no later answer has. */
export const createServiceToken = (
  account_id: number,
  body: Sent<'POST /api/service-accounts/:account_id/tokens'>['body'],
) =>
  withConfirmation(() =>
    call('POST /api/service-accounts/:account_id/tokens', { params: { account_id }, body }),
  )

export const deleteServiceToken = (account_id: number, token_id: number) =>
  withConfirmation(() =>
    call('DELETE /api/service-accounts/:account_id/tokens/:token_id', {
      params: { account_id, token_id },
    }),
  )
