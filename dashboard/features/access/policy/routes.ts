import { z } from 'zod'
import type { AccountDeps } from '#dashboard/features/access/accounts/accounts.ts'
import { OWNERS } from '#dashboard/features/access/owners.ts'
import { creates, shows } from '#dashboard/kernel/http/answers.ts'
import { idIn } from '#dashboard/kernel/http/path.ts'
import { routesWith } from '#dashboard/kernel/http/route.ts'
import { CreatePolicyRule, PolicyRule } from '#shared/policy/api/policy.ts'
import { addRule, deleteRule, listRules } from './rules.ts'

const route = routesWith<AccountDeps>()

/** What accounts can and cannot do: a change after which a rule would not hold is refused. */
export const policyRoutes = {
  listPolicyRules: route({
    at: 'GET /api/policy/rules',
    summary: 'List the rules of the access policy',
    right: 'accounts',
    answers: shows('In the order in which they were added.', { rules: z.array(PolicyRule) }),
    run: async ({ deps }) => ({ rules: await listRules(deps) }),
  }),
  addPolicyRule: route({
    at: 'POST /api/policy/rules',
    summary: 'Add a rule to the access policy',
    details:
      'A rule gives no right: later changes of rights, tags and servers after which it would not hold are refused with 409 and the code `policy_broken`. A rule that does not hold now is refused with 409 and `rule_not_true`.',
    ...OWNERS,
    body: CreatePolicyRule,
    answers: creates('Added.', { rule: PolicyRule }),
    errors: ['conflict'],
    run: async ({ deps, caller, body }) => ({ rule: await addRule(deps, caller, body) }),
  }),
  deletePolicyRule: route({
    at: 'DELETE /api/policy/rules/:rule_id',
    summary: 'Delete a rule of the access policy',
    ...OWNERS,
    answers: { 204: { about: 'Later changes may break it.' } },
    errors: ['conflict'],
    run: ({ deps, caller, params }) => deleteRule(deps, caller, idIn(params.rule_id, 'Rule')),
  }),
}
