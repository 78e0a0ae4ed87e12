import { queryOptions } from '@tanstack/react-query'
import { call, type Sent } from './client.ts'
import { withConfirmation } from './password-confirmation.ts'

export const policyQuery = queryOptions({
  queryKey: ['policy'],
  queryFn: async () => (await call('GET /api/policy/rules')).rules,
})

export const addPolicyRule = (body: Sent<'POST /api/policy/rules'>['body']) =>
  withConfirmation(() => call('POST /api/policy/rules', { body }))

export const deletePolicyRule = (rule_id: number) =>
  withConfirmation(() => call('DELETE /api/policy/rules/:rule_id', { params: { rule_id } }))
