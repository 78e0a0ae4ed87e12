import type { PolicyRule } from '#dashboard/kernel/auth/policy.ts'
import type { MarkedRecords } from '#dashboard/kernel/auth/queries.ts'
import { invalid } from '#shared/kernel/errors.ts'
import type { Part } from '#shared/kernel/rights.ts'
import type { CreatePolicyRule } from '#shared/policy/api/policy.ts'
import {
  parseRuleLine,
  RuleLineError,
  type RulePlace,
  ruleSubjectOf,
} from '#shared/policy/policy-rules.ts'
import {
  findAccountNamed,
  findServersNamed,
  findSitesNamed,
  hasTag,
  isAccountInUse,
} from './rules.queries.ts'

/** Makes the refusal of a part of a rule. */
type Refuse = (part: 'Account' | 'Where', text: string) => Error

const NOWHERE: Part = { tag: null, server_id: null, site_id: null }

/** Returns the rule of a call, from its line or its fields. Throws 422, which names the wrong part. */
export function readRule(records: MarkedRecords, input: CreatePolicyRule): Promise<PolicyRule> {
  const { rule, ...fields } = input
  if (rule === undefined) return fromFields(records, fields)
  const other = Object.entries(fields).find(([, value]) => value !== undefined)
  if (other) throw invalid({ [other[0]]: ['Must be absent beside rule'] })
  return fromLine(records, rule)
}

async function fromLine(records: MarkedRecords, text: string): Promise<PolicyRule> {
  const { account, can, what, where } = parsed(text)
  const refuse: Refuse = (part, why) => invalid({ rule: [`${part}: ${why}, in "${text}"`] })
  const user_id = await findAccountNamed(records, account)
  if (user_id === undefined) throw refuse('Account', `No account in use is named ${account}`)
  const part = await partNamed(records, where, refuse)
  refuseWrongPlace(what, part, refuse)
  return { user_id, can, what, ...part }
}

function parsed(text: string) {
  try {
    return parseRuleLine(text)
  } catch (error) {
    throw error instanceof RuleLineError ? invalid({ rule: [error.message] }) : error
  }
}

async function partNamed({ db }: MarkedRecords, where: RulePlace, refuse: Refuse): Promise<Part> {
  if (where.kind === 'fleet') return NOWHERE
  const { kind, name } = where
  if (kind === 'tag') {
    if (!(await hasTag(db, name))) throw refuse('Where', `No server has the tag ${name}`)
    return { ...NOWHERE, tag: name }
  }
  const id = /^#([1-9]\d{0,14})$/.exec(name)?.[1]
  const named = id === undefined ? { name } : { id: Number(id) }
  const found = await (kind === 'server' ? findServersNamed : findSitesNamed)(db, named)
  const [first, second] = found
  if (first === undefined) throw refuse('Where', `There is no ${kind} ${name}`)
  if (second !== undefined)
    throw refuse(
      'Where',
      `Several ${kind}s are named ${name}: write ${kind}:#${first}, with the id`,
    )
  return kind === 'server' ? { ...NOWHERE, server_id: first } : { ...NOWHERE, site_id: first }
}

const FIELDS = ['tag', 'server_id', 'site_id'] as const

async function fromFields(
  records: MarkedRecords,
  { user_id, can, what, fleet, ...places }: Omit<CreatePolicyRule, 'rule'>,
): Promise<PolicyRule> {
  const required = { user_id, can, what }
  const missing = Object.entries(required).filter(([, value]) => value === undefined)
  if (user_id === undefined || can === undefined || what === undefined)
    throw invalid(Object.fromEntries(missing.map(([name]) => [name, ['Is required']])))
  const given = [fleet, ...Object.values(places)].filter((value) => value !== undefined)
  if (given.length !== 1)
    throw invalid({ fleet: ['Must have exactly one of fleet, tag, server_id and site_id'] })
  const { tag = null, server_id = null, site_id = null } = places
  const field = FIELDS.find((name) => places[name] !== undefined) ?? 'fleet'
  const refuse: Refuse = (part, text) => invalid({ [part === 'Where' ? field : 'user_id']: [text] })
  if (!(await isAccountInUse(records, user_id)))
    throw refuse('Account', `No account in use has the id ${user_id}`)
  const part = { tag, server_id, site_id }
  await refuseUnknown(records, part, refuse)
  refuseWrongPlace(what, part, refuse)
  return { user_id, can, what, ...part }
}

function refuseUnknown(records: MarkedRecords, part: Part, refuse: Refuse): Promise<Part> {
  const { tag, server_id, site_id } = part
  if (tag !== null) return partNamed(records, { kind: 'tag', name: tag }, refuse)
  if (server_id !== null)
    return partNamed(records, { kind: 'server', name: `#${server_id}` }, refuse)
  if (site_id !== null) return partNamed(records, { kind: 'site', name: `#${site_id}` }, refuse)
  return Promise.resolve(part)
}

/** Throws 422 for a place at which nobody can do what the rule is about. */
function refuseWrongPlace(what: string, { tag, server_id, site_id }: Part, refuse: Refuse): void {
  const subject = ruleSubjectOf(what)
  if (subject?.target === 'server' && site_id !== null)
    throw refuse('Where', `${what} is about servers: choose a server, a tag or the whole fleet`)
  const isFleet = tag === null && server_id === null && site_id === null
  if (subject?.rights.includes('accounts') && !isFleet)
    throw refuse('Where', 'The right accounts belongs to the whole fleet')
}
