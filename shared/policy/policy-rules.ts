import { RIGHTS_ON_OBJECTS, type Right } from '#shared/kernel/rights.ts'
import { OPERATION_NAMES, OPERATION_TYPES, type OperationType } from '#shared/operation-types.ts'

/** The rights that a rule of the access policy can name; every account has the others. */
export const RULE_RIGHTS = [...RIGHTS_ON_OBJECTS, 'accounts'] as const satisfies Right[]

/** What a rule can be about. */
export const RULE_SUBJECTS: readonly string[] = [...OPERATION_NAMES, ...RULE_RIGHTS]

/** What a rule is about: any of the rights, on servers, on sites, or on both. */
export interface RuleSubject {
  rights: readonly Right[]
  target: 'server' | 'site' | 'any'
}

/** Returns what a rule is about; undefined for a text that is no type of operation and no right. */
export function ruleSubjectOf(what: string): RuleSubject | undefined {
  const right = RULE_RIGHTS.find((name) => name === what)
  if (right) return { rights: [right], target: 'any' }
  const type = OPERATION_NAMES.find((name): name is OperationType => name === what)
  if (!type) return undefined
  const { right: own, client_right, target } = OPERATION_TYPES[type]
  return { rights: client_right ? [own, client_right] : [own], target }
}

/** Where a rule holds, as a line names it: the fleet, a tag, or a server or a site by name or `#id`. */
export type RulePlace = { kind: 'fleet' } | { kind: 'tag' | 'server' | 'site'; name: string }

/** A rule as a line. */
export interface RuleLine {
  account: string
  can: boolean
  what: string
  where: RulePlace
}

const FORM = 'account can|cannot what@where, such as anna@example.com can site.update@tag:shop'
const PLACE_KINDS = ['tag', 'server', 'site'] as const

/** The part of a line that is wrong, and why. */
export class RuleLineError extends Error {}

/**
 * Parses a rule: `anna@example.com can site.update@tag:shop`. Throws RuleLineError, which names the
 * wrong part and the rule.
 */
export function parseRuleLine(text: string): RuleLine {
  const refuse = (part: string, why: string) => new RuleLineError(`${part}: ${why}, in "${text}"`)
  const found = /^(\S.*?) (\S+) ([^\s@]+)@(\S.*)$/.exec(text)
  if (!found) throw refuse('Rule', `Must have the form ${FORM}`)
  const [, account = '', verb = '', what = '', place = ''] = found
  if (verb !== 'can' && verb !== 'cannot')
    throw refuse('Verb', `Must be can or cannot, not ${verb}`)
  if (!ruleSubjectOf(what))
    throw refuse(
      'What',
      `${what} is neither a type of operation nor one of ${RULE_RIGHTS.join(', ')}`,
    )
  const where = placeIn(place)
  if (!where) throw refuse('Where', `Must be *, tag:…, server:… or site:…, not ${place}`)
  return { account, can: verb === 'can', what, where }
}

function placeIn(text: string): RulePlace | undefined {
  if (text === '*') return { kind: 'fleet' }
  const kind = PLACE_KINDS.find((each) => text.startsWith(`${each}:`))
  const name = kind && text.slice(kind.length + 1)
  return kind && name && name.trim() === name ? { kind, name } : undefined
}

/** Writes a rule as a line, which `parseRuleLine` reads. */
export function renderRule({ account, can, what, where }: RuleLine): string {
  const place = where.kind === 'fleet' ? '*' : `${where.kind}:${where.name}`
  return `${account} ${can ? 'can' : 'cannot'} ${what}@${place}`
}
