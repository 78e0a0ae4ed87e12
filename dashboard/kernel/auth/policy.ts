import { type BrokenRule, policyBroken } from '#shared/kernel/errors.ts'
import {
  type Grant,
  type HeldGrants,
  type Part,
  type PartGrant,
  type Place,
  partsWith,
  rightsAt,
  rightsOf,
} from '#shared/kernel/rights.ts'
import {
  type RulePlace,
  type RuleSubject,
  renderRule,
  ruleSubjectOf,
} from '#shared/policy/policy-rules.ts'

/** A rule of the access policy; without a part of the fleet it is about the whole fleet. */
export interface PolicyRule extends Part {
  user_id: number
  can: boolean
  what: string
}

/** A stored rule; `is_trusted` is false for a row that others wrote. */
export interface StoredRule extends PolicyRule {
  id: number
  created_at: string
  is_trusted: boolean
}

interface PolicyAccount extends HeldGrants {
  /** The e-mail address of a person, or the name of a service account. */
  name: string
  /** Whether somebody can use the account; one that is not in use can do nothing. */
  is_in_use: boolean
}

/** What a group gives its members, by their account. */
interface PolicyGroup extends HeldGrants {
  members: readonly number[]
}

/** Everything on which the rules depend. */
export interface PolicyFacts {
  rules: readonly StoredRule[]
  /** The accounts with a rule, and their own grants. */
  accounts: ReadonlyMap<number, PolicyAccount>
  /** The groups of these accounts; of their members only these. */
  groups: ReadonlyMap<number, PolicyGroup>
  servers: ReadonlyMap<number, { name: string; tags: readonly string[] }>
  /** The sites that a rule, or a grant of an account with a rule, names. */
  sites: ReadonlyMap<number, PolicySite>
}

interface PolicySite {
  domain: string
  /** The server of the site and, during a move, the other one: rules hold before and after it. */
  server_ids: readonly number[]
}

/** What differs after a change; everything else stays. */
export interface PolicyChange {
  /** The accounts whose own grants or state differ. */
  accounts?: readonly {
    user_id: number
    is_in_use?: boolean | undefined
    grants?: readonly Grant[] | undefined
    parts?: readonly PartGrant[] | undefined
  }[]
  /** A new or changed group; one that is deleted has no members. */
  group?: Partial<PolicyGroup> & { group_id: number }
  /** A server with other tags; a new server has the id 0. */
  server?: { server_id: number; name: string; tags: readonly string[] }
  /** A site that is also on another server from then on. */
  site?: { site_id: number; server_id: number }
}

/** Returns the facts after a change. */
export function factsAfter(facts: PolicyFacts, change: PolicyChange): PolicyFacts {
  const accounts = new Map(facts.accounts)
  for (const { user_id, ...changed } of change.accounts ?? []) {
    const before = accounts.get(user_id)
    const {
      is_in_use = before?.is_in_use,
      grants = before?.grants,
      parts = before?.parts,
    } = changed
    // An account without a rule is not one of the facts.
    if (before && is_in_use !== undefined && grants && parts)
      accounts.set(user_id, { ...before, is_in_use, grants, parts })
  }
  const groups = new Map(facts.groups)
  if (change.group) {
    const { group_id, ...changed } = change.group
    const before = groups.get(group_id) ?? { members: [], ...NOTHING }
    groups.set(group_id, { ...before, ...changed })
  }
  const servers = new Map(facts.servers)
  if (change.server) {
    const { server_id, ...server } = change.server
    servers.set(server_id, server)
  }
  const sites = new Map(facts.sites)
  const site = change.site && sites.get(change.site.site_id)
  if (change.site && site)
    sites.set(change.site.site_id, {
      ...site,
      server_ids: [...site.server_ids, change.site.server_id],
    })
  return { ...facts, accounts, groups, servers, sites }
}

const NOTHING: HeldGrants = { grants: [], parts: [] }

/** Returns what an account can do by its own grants and those of its groups. */
function heldBy({ groups }: PolicyFacts, user_id: number, account: PolicyAccount): HeldGrants {
  if (!account.is_in_use) return NOTHING
  const own = [...groups.values()].filter(({ members }) => members.includes(user_id))
  return {
    grants: [account, ...own].flatMap(({ grants }) => grants),
    parts: [account, ...own].flatMap(({ parts }) => parts),
  }
}

/** Throws 409 with `policy_broken` for a change after which a rule that holds now does not. */
export function refuseBroken(facts: PolicyFacts, change: PolicyChange): void {
  const after = factsAfter(facts, change)
  const broken = facts.rules.flatMap((rule): BrokenRule[] => {
    if (!rule.is_trusted || problemOf(facts, rule) !== null) return []
    const problem = problemOf(after, rule)
    return problem === null ? [] : [{ id: rule.id, rule: lineOf(facts, rule), problem }]
  })
  if (broken.length === 0) return
  const named = broken.slice(0, MAX_NAMED).map(({ rule, problem }) => `"${rule}": ${problem}`)
  const more = broken.length - named.length
  const isOne = broken.length === 1
  const list = [...named, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
  throw policyBroken(
    `${isOne ? 'A rule' : `${broken.length} rules`} of the access policy would not hold any more. ${list}. An owner can delete the ${isOne ? 'rule' : 'rules'} on the page People first`,
    broken,
  )
}

const MAX_NAMED = 5

/** Returns why a rule does not hold; null: it holds. */
export function problemOf(facts: PolicyFacts, rule: PolicyRule): string | null {
  const subject = ruleSubjectOf(rule.what)
  if (!subject) return `${rule.what} is no type of operation and no right of this version`
  const account = facts.accounts.get(rule.user_id)
  if (!account) return 'The account does not exist any more'
  const held = heldBy(facts, rule.user_id, account)
  return rule.can
    ? missingFor(facts, rule, subject, account, held)
    : excessFor(facts, rule, subject, account, held)
}

const isFleet = ({ tag, server_id, site_id }: Part) =>
  tag === null && server_id === null && site_id === null

/** Returns where an account cannot do what a rule says; null: it can everywhere there. */
function missingFor(
  facts: PolicyFacts,
  rule: PolicyRule,
  subject: RuleSubject,
  { name, is_in_use }: PolicyAccount,
  held: HeldGrants,
): string | null {
  const text = is_in_use ? `${name} cannot do it` : `${name} is not in use, and cannot do it`
  if (isFleet(rule))
    return hasOne(rightsOf(held.grants), subject) ? null : `${text} in the whole fleet`
  const missing = placesOf(facts, rule).filter(
    ({ place }) => !hasOne(rightsAt(held, place), subject),
  )
  return missing.length === 0 ? null : `${text} on ${listed(missing)}`
}

/** Returns where an account can do what a rule excludes; null: nowhere there. */
function excessFor(
  facts: PolicyFacts,
  rule: PolicyRule,
  subject: RuleSubject,
  { name }: PolicyAccount,
  held: HeldGrants,
): string | null {
  const text = `${name} can do it`
  if (isFleet(rule) && hasOne(rightsOf(held.grants), subject)) return `${text} in the whole fleet`
  const given = partsGiving(held, subject)
  if (isFleet(rule)) {
    const parts = given.map((part) => ({ title: partTitle(facts, part) }))
    return parts.length === 0 ? null : `${text} on ${listed(parts)}`
  }
  const own = given.flatMap(({ site_id }) => site_id ?? [])
  const within = rule.site_id === null ? sitesWithin(facts, rule, own) : []
  const excess = [...placesOf(facts, rule), ...within].filter(({ place }) =>
    hasOne(rightsAt(held, place), subject),
  )
  return excess.length === 0 ? null : `${text} on ${listed(excess)}`
}

const hasOne = (rights: readonly string[], { rights: needed }: RuleSubject) =>
  needed.some((right) => rights.includes(right))

/**
 * Returns the grants on parts of the fleet with which an account can do what a rule says; for what
 * is about servers, a grant on a site does not count.
 */
function partsGiving(held: HeldGrants, { rights, target }: RuleSubject): PartGrant[] {
  const given = new Set(rights.flatMap((right) => partsWith(held, right)))
  return [...given].filter(({ site_id }) => site_id === null || target !== 'server')
}

interface NamedPlace {
  title: string
  place: Place
}

/**
 * Returns the servers that a rule is about, or the site on each of its servers. A right on a server
 * is one on each of its sites, too.
 */
function placesOf(facts: PolicyFacts, { tag, server_id, site_id }: Part): NamedPlace[] {
  if (site_id !== null) return sitePlaces(facts, site_id)
  const found = [...facts.servers].filter(([id, { tags }]) =>
    tag === null ? id === server_id : tags.includes(tag),
  )
  return found.map(([id, { name, tags }]) => ({
    title: `the server ${name}`,
    place: { server_id: id, site_id: null, tags },
  }))
}

function sitePlaces({ servers, sites }: PolicyFacts, site_id: number): NamedPlace[] {
  const { domain, server_ids } = sites.get(site_id) ?? { domain: '', server_ids: [] }
  return server_ids.map((id) => ({
    title: `the site ${domain}`,
    place: { server_id: id, site_id, tags: servers.get(id)?.tags ?? [] },
  }))
}

/** Returns those of the sites that are on a server that the rule is about. */
function sitesWithin(facts: PolicyFacts, rule: Part, ids: readonly number[]): NamedPlace[] {
  const servers = new Set(placesOf(facts, rule).map(({ place }) => place.server_id))
  return [...new Set(ids)]
    .flatMap((id) => sitePlaces(facts, id))
    .filter(({ place }) => servers.has(place.server_id))
}

/** Writes places as `the server web-1, the server web-2 and 3 more`. */
function listed(places: readonly { title: string }[]): string {
  const titles = [...new Set(places.map(({ title }) => title))]
  const shown = titles.slice(0, MAX_NAMED).join(', ')
  return titles.length > MAX_NAMED ? `${shown} and ${titles.length - MAX_NAMED} more` : shown
}

function partTitle(facts: PolicyFacts, { tag, server_id, site_id }: Part): string {
  if (tag !== null) return `the tag ${tag}`
  if (site_id !== null) return `the site ${facts.sites.get(site_id)?.domain ?? site_id}`
  return `the server ${facts.servers.get(server_id ?? 0)?.name ?? server_id}`
}

/** Writes a rule as a line. A name that several servers or sites have is written as an id. */
export const lineOf = (facts: PolicyFacts, rule: PolicyRule): string =>
  renderRule({
    account: facts.accounts.get(rule.user_id)?.name ?? `#${rule.user_id}`,
    can: rule.can,
    what: rule.what,
    where: whereOf(facts, rule),
  })

function whereOf({ servers, sites }: PolicyFacts, { tag, server_id, site_id }: Part): RulePlace {
  if (tag !== null) return { kind: 'tag', name: tag }
  if (site_id !== null) return { kind: 'site', name: sites.get(site_id)?.domain ?? `#${site_id}` }
  if (server_id === null) return { kind: 'fleet' }
  const name = servers.get(server_id)?.name
  const same = [...servers.values()].filter((server) => server.name === name)
  return { kind: 'server', name: name && same.length === 1 ? name : `#${server_id}` }
}
