import { z } from 'zod'
import { OWNERS } from '#dashboard/features/access/owners.ts'
import { SESSIONS_NEWS } from '#dashboard/kernel/auth/session-revocation.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { creates, shows } from '#dashboard/kernel/http/answers.ts'
import { idIn } from '#dashboard/kernel/http/path.ts'
import { routesWith } from '#dashboard/kernel/http/route.ts'
import {
  ChangeServiceAccount,
  CreateServiceAccount,
  CreateServiceToken,
  ServiceAccount,
} from '#shared/access/api/service-accounts.ts'
import { ApiToken } from '#shared/kernel/api/auth.ts'
import type { AccountDeps } from './accounts.ts'
import {
  activateServiceAccount,
  changeServiceAccount,
  createServiceAccount,
  createServiceToken,
  deactivateServiceAccount,
  deleteServiceToken,
  listServiceAccounts,
  removeServiceAccount,
  showServiceAccount,
} from './service-accounts.ts'

const route = routesWith<AccountDeps & Pick<CommonDeps, 'random'>>()

const idOf = ({ account_id }: { account_id: string }) => idIn(account_id, 'Service account')

const ACCOUNT = {
  answers: shows('The account.', { service_account: ServiceAccount }),
  errors: ['conflict'],
} as const

/** The accounts of the fleet, whose API tokens belong to no person. */
export const serviceAccountRoutes = {
  listServiceAccounts: route({
    at: 'GET /api/service-accounts',
    summary: 'List the service accounts',
    right: 'admin',
    answers: shows('By name, with their tokens.', { service_accounts: z.array(ServiceAccount) }),
    run: async ({ deps, caller }) => ({
      service_accounts: await listServiceAccounts(deps, caller),
    }),
  }),
  createServiceAccount: route({
    at: 'POST /api/service-accounts',
    summary: 'Create a service account',
    details: 'Nobody can log in with it: it has API tokens, which do not end when a person leaves.',
    ...OWNERS,
    body: CreateServiceAccount,
    answers: creates('Created.', { service_account: ServiceAccount }),
    errors: ['conflict'],
    run: async ({ deps, caller, body }) => {
      const id = await createServiceAccount(deps, caller, body)
      return { service_account: await showServiceAccount(deps, caller, id) }
    },
  }),
  changeServiceAccount: route({
    at: 'PATCH /api/service-accounts/:account_id',
    summary: 'Change a service account',
    details: 'Its tokens have the new rights at once; streams of them end.',
    ...OWNERS,
    body: ChangeServiceAccount,
    ...ACCOUNT,
    run: async ({ deps, caller, params, body }) => {
      const id = idOf(params)
      await changeServiceAccount(deps, caller, id, body)
      return { service_account: await showServiceAccount(deps, caller, id) }
    },
  }),
  deactivateServiceAccount: route({
    at: 'POST /api/service-accounts/:account_id/deactivate',
    summary: 'Deactivate a service account',
    details: 'Its tokens are refused, and streams of them end, until it is activated again.',
    ...OWNERS,
    ...ACCOUNT,
    run: async ({ deps, caller, params }) => {
      const id = idOf(params)
      await deactivateServiceAccount(deps, caller, id)
      return { service_account: await showServiceAccount(deps, caller, id) }
    },
  }),
  activateServiceAccount: route({
    at: 'POST /api/service-accounts/:account_id/activate',
    summary: 'Activate a deactivated service account',
    details: 'It has its former rights, and its tokens work again.',
    ...OWNERS,
    ...ACCOUNT,
    run: async ({ deps, caller, params }) => {
      const id = idOf(params)
      await activateServiceAccount(deps, caller, id)
      return { service_account: await showServiceAccount(deps, caller, id) }
    },
  }),
  removeServiceAccount: route({
    at: 'DELETE /api/service-accounts/:account_id',
    summary: 'Remove a service account',
    ...OWNERS,
    answers: { 204: { about: 'Its tokens no longer work.' } },
    errors: ['conflict'],
    run: ({ deps, caller, params }) => removeServiceAccount(deps, caller, idOf(params)),
  }),
  createServiceToken: route({
    at: 'POST /api/service-accounts/:account_id/tokens',
    summary: 'Create an API token of a service account',
    ...OWNERS,
    body: CreateServiceToken,
    answers: creates('Created. The text of the token is shown only once.', {
      token: ApiToken,
      plaintext: z.string().meta({ examples: ['hc_Zk3bYwqS0v9l1nXo5tQ2Rr8cUeJ7hGdM4aPfLxIyTsE'] }),
    }),
    errors: ['conflict'],
    run: async ({ deps, caller, params, body }) => {
      const made = await createServiceToken(deps, caller, idOf(params), body)
      return { token: made.token, plaintext: made.plaintext.reveal() }
    },
  }),
  deleteServiceToken: route({
    at: 'DELETE /api/service-accounts/:account_id/tokens/:token_id',
    summary: 'Delete an API token of a service account',
    ...OWNERS,
    answers: { 204: { about: 'It no longer works.' } },
    errors: ['conflict'],
    run: async ({ deps, caller, params }) => {
      await deleteServiceToken(deps, caller, idOf(params), idIn(params.token_id, 'Token'))
      deps.bus.notify(SESSIONS_NEWS)
    },
  }),
}
