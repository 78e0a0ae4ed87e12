import { listOwners } from '#dashboard/features/access/accounts/accounts.queries.ts'
import { type AccountDeps, ownerOf } from '#dashboard/features/access/accounts/accounts.ts'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import { readPolicy, whileRulesStay } from '#dashboard/kernel/auth/policy.queries.ts'
import {
  lineOf,
  type PolicyFacts,
  type PolicyRule,
  problemOf,
  type StoredRule,
} from '#dashboard/kernel/auth/policy.ts'
import type { Caller } from '#dashboard/kernel/http/caller.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { conflict, notFound } from '#shared/kernel/errors.ts'
import type { CreatePolicyRule, PolicyRule as ShownRule } from '#shared/policy/api/policy.ts'
import { readRule } from './read-rule.ts'
import { deleteStoredRule, storeRule } from './rules.queries.ts'

type Deps = Pick<AccountDeps, 'db' | 'marks' | 'clock'>

const MAX_RULES = 500

/** Lists the rules in their order, and whether they hold now. */
export async function listRules(deps: Deps): Promise<ShownRule[]> {
  const { facts } = await readPolicy(deps)
  return facts.rules.map((rule) => shown(facts, rule))
}

const CHANGED_OUTSIDE =
  'The rule was changed outside of the dashboard and has no effect: delete it and add it again'

function shown(facts: PolicyFacts, { is_trusted, ...rule }: StoredRule): ShownRule {
  const problem = is_trusted ? problemOf(facts, rule) : CHANGED_OUTSIDE
  const account = facts.accounts.get(rule.user_id)?.name ?? `#${rule.user_id}`
  return { ...rule, account, rule: lineOf(facts, rule), holds: problem === null, problem }
}

/**
 * Adds a rule, and returns it. Throws 422 for a wrong part, and 409 for a rule that exists, or with
 * `rule_not_true` that does not hold now.
 */
export async function addRule(
  deps: Deps,
  caller: Caller,
  input: CreatePolicyRule,
): Promise<ShownRule> {
  const rule = await readRule(deps, input)
  const scope = { user_id: rule.user_id, site_ids: rule.site_id === null ? [] : [rule.site_id] }
  await whileRulesStay(async () => {
    const { facts, guard } = await readPolicy(deps, scope)
    refuseUntrue(facts, rule)
    const by = ownerOf(await listOwners(deps), caller)
    const created_at = timestamp(deps.clock)
    const type = 'policy.rule_add'
    const detail = lineOf(facts, rule)
    const entry = entryOf(deps.clock, { type, user_id: caller.user.id, detail })
    if (await storeRule(deps, { rule, created_at, by, guard }, entry)) return
    throw conflict('Your account was changed meanwhile: try again', 'changed_meanwhile')
  })
  const added = (await listRules(deps)).find((each) => isSame(each, rule))
  if (!added) throw notFound('Rule')
  return added
}

function refuseUntrue(facts: PolicyFacts, rule: PolicyRule): void {
  if (facts.rules.some((each) => each.is_trusted && isSame(each, rule)))
    throw conflict('The rule exists already')
  if (facts.rules.length >= MAX_RULES)
    throw conflict(`The access policy has at most ${MAX_RULES} rules`)
  const problem = problemOf(facts, rule)
  if (problem === null) return
  throw conflict(
    `The rule "${lineOf(facts, rule)}" does not hold now: ${problem}. Change the rights first`,
    'rule_not_true',
  )
}

const isSame = (one: PolicyRule, other: PolicyRule): boolean =>
  one.user_id === other.user_id &&
  one.can === other.can &&
  one.what === other.what &&
  one.tag === other.tag &&
  one.server_id === other.server_id &&
  one.site_id === other.site_id

/** Deletes a rule. Throws 404 without it. */
export async function deleteRule(deps: Deps, caller: Caller, id: number): Promise<void> {
  const { facts } = await readPolicy(deps)
  const rule = facts.rules.find((each) => each.id === id)
  if (!rule) throw notFound('Rule')
  const by = ownerOf(await listOwners(deps), caller)
  const type = 'policy.rule_delete'
  const detail = lineOf(facts, rule)
  const entry = entryOf(deps.clock, { type, user_id: caller.user.id, detail })
  if (!(await deleteStoredRule(deps, id, by, entry))) throw notFound('Rule')
}
