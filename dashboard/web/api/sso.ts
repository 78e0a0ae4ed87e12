import { queryOptions } from '@tanstack/react-query'
import { call, type Sent } from './client.ts'
import { withConfirmation } from './password-confirmation.ts'

/** The providers at which a login can begin, also for somebody without a session. */
export const loginProvidersQuery = queryOptions({
  queryKey: ['login-providers'],
  queryFn: async () => (await call('GET /api/auth/sso')).providers,
  staleTime: 60_000,
})

/** Leaves this page for a provider, which sends the browser back. */
export async function startSso(body: Sent<'POST /api/auth/sso'>['body']) {
  const { url } = await call('POST /api/auth/sso', { body })
  location.assign(url)
  return url
}

export const finishSso = (body: Sent<'POST /api/auth/sso/finish'>['body']) =>
  call('POST /api/auth/sso/finish', { body })

export const finishSsoCode = (body: Sent<'POST /api/auth/sso/code'>['body']) =>
  call('POST /api/auth/sso/code', { body })

export const identitiesQuery = queryOptions({
  queryKey: ['identities'],
  queryFn: () => call('GET /api/auth/identities'),
})

/** Leaves this page for a provider; whoever logs in there is linked with the account. */
export const startLink = (provider: string) =>
  withConfirmation(async () => {
    const { url } = await call('POST /api/auth/identities', { body: { provider } })
    location.assign(url)
    return url
  })

export const unlinkIdentity = (identity_id: number) =>
  withConfirmation(() =>
    call('DELETE /api/auth/identities/:identity_id', { params: { identity_id } }),
  )

export const identityProvidersQuery = queryOptions({
  queryKey: ['identity-providers'],
  queryFn: () => call('GET /api/identity-providers'),
})

/** Its discovery document is read first. */
export const addProvider = (body: Sent<'POST /api/identity-providers'>['body']) =>
  withConfirmation(() => call('POST /api/identity-providers', { body }))

export const changeProvider = (
  provider_key: string,
  body: Sent<'PATCH /api/identity-providers/:provider_key'>['body'],
) =>
  withConfirmation(() =>
    call('PATCH /api/identity-providers/:provider_key', { params: { provider_key }, body }),
  )

export const removeProvider = (provider_key: string) =>
  withConfirmation(() =>
    call('DELETE /api/identity-providers/:provider_key', { params: { provider_key } }),
  )

/** What is wrong with a provider. */
export const testProvider = async (provider_key: string) =>
  (
    await withConfirmation(() =>
      call('POST /api/identity-providers/:provider_key/test', { params: { provider_key } }),
    )
  ).problems
