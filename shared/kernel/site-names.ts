import { z } from 'zod'
import { Domain, DomainOrWildcard, oneOf, ReportedDomain, required, TrueOrFalse } from './fields.ts'
import { apexOf, canonicalDomain, isWildcard } from './names.ts'

/** The maximum number of names: Let's Encrypt's 100 without the site's two. */
export const MAX_NAMES = 98

/** The maximum number of wildcards, each of which a program validates, one after the other. */
const MAX_WILDCARDS = 5

const WWW_RULES = ['serve', 'redirect'] as const

const STATUSES = [z.literal(301), z.literal(302)] as const

/** Matches scheme, host, optional port and a path without `$`, quotes and spaces. */
const TARGET = /^https?:\/\/([a-z0-9.-]+)(:\d{1,5})?(\/[A-Za-z0-9._~/%-]*)?$/

const Target = z
  .string(required('Target'))
  .trim()
  .max(1000, 'Must have at most 1000 characters')
  .refine((to) => hostOf(to) !== undefined, 'Must be an address such as https://example.com/shop')

export const Redirect = z.object({
  domain: Domain.describe('The name that is redirected.'),
  to: Target.optional().describe('Default: the primary domain of the site.'),
  status: z
    .union(STATUSES, 'Must be 301 or 302')
    .default(301)
    .describe('301: permanent, which browsers remember. 302: temporary.'),
  keep_path: TrueOrFalse.default(true).describe('Append the requested path and query.'),
})
export type Redirect = z.infer<typeof Redirect>

const few = `Must have at most ${MAX_NAMES} names`

/** The names of a site beside its primary domain. */
export const SiteNames = z.object({
  www: oneOf(WWW_RULES)
    .default('serve')
    .describe('The primary domain with, or without, `www.`: serve it, or redirect it.'),
  aliases: z
    .array(DomainOrWildcard, 'Must be a list of domain names')
    .max(MAX_NAMES, few)
    .default([])
    .describe(
      'Names that show the site like its primary domain. `*.example.com` is every name below example.com that no other site has.',
    ),
  redirects: z.array(Redirect, 'Must be a list of redirects').max(MAX_NAMES, few).default([]),
})
export type SiteNames = z.infer<typeof SiteNames>

/** The names in the report of an agent. */
export const ReportedNames = z.object({
  www: z.enum(WWW_RULES),
  aliases: z.array(ReportedDomain).max(MAX_NAMES),
  redirects: z
    .array(
      z.strictObject({
        domain: ReportedDomain,
        to: z.string().max(1000).optional(),
        status: z.union(STATUSES),
        keep_path: z.boolean(),
      }),
    )
    .max(MAX_NAMES),
})

export const NO_NAMES: SiteNames = { www: 'serve', aliases: [], redirects: [] }

type SiteWithNames = { domain: string; names?: SiteNames | undefined }

/** Returns the primary domain, then that with or without `www.`. */
export function pairOf(domain: string): string[] {
  const apex = apexOf(domain)
  const other = apex === domain ? `www.${domain}` : apex
  return other.length > 253 ? [domain] : [domain, other]
}

/** Returns the names that show the site, its primary domain first. */
export function servedNamesOf({ domain, names = NO_NAMES }: SiteWithNames): string[] {
  return [...(names.www === 'serve' ? pairOf(domain) : [domain]), ...names.aliases]
}

/** Returns the redirects, with the other name of the pair if it is redirected. */
export function redirectsOf({ domain, names = NO_NAMES }: SiteWithNames): Redirect[] {
  const pair = names.www === 'redirect' ? pairOf(domain).slice(1) : []
  const www = pair.map((other): Redirect => ({ domain: other, status: 301, keep_path: true }))
  return [...www, ...names.redirects]
}

/** Returns every name at which the server answers for the site, its primary domain first. */
export const allNamesOf = (site: SiteWithNames): string[] => [
  ...servedNamesOf(site),
  ...redirectsOf(site).map(({ domain }) => domain),
]

/** Returns the host of the target of a redirect; undefined for an invalid target. */
export function hostOf(to: string): string | undefined {
  const host = TARGET.exec(to)?.[1]
  return host !== undefined && canonicalDomain(host) === host ? host : undefined
}

/** Returns the broken rules by field, for names that each are valid. */
export function problemsOf(domain: string, names: SiteNames): Record<string, string[]> {
  const fields = { aliases: new Set<string>(), redirects: new Set<string>() }
  const seen = new Set(pairOf(domain))
  const add = (field: keyof typeof fields, name: string) => {
    if (seen.has(name)) fields[field].add(`${name} is already a name of this site`)
    seen.add(name)
  }
  for (const name of names.aliases) add('aliases', name)
  for (const redirect of names.redirects) add('redirects', redirect.domain)
  if (names.aliases.length + names.redirects.length > MAX_NAMES)
    fields.redirects.add(`Must have at most ${MAX_NAMES} names together with the aliases`)
  if (names.aliases.filter(isWildcard).length > MAX_WILDCARDS)
    fields.aliases.add(`Must have at most ${MAX_WILDCARDS} wildcards`)
  const loop = loopIn(names.redirects)
  if (loop) fields.redirects.add(`${loop.join(' → ')} is a redirect loop`)
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, messages]) => messages.size > 0)
      .map(([field, messages]) => [field, [...messages]]),
  )
}

/** Returns the names of the first loop, with its first name once more at the end. */
function loopIn(redirects: readonly Redirect[]): string[] | undefined {
  const targets = new Map(redirects.map(({ domain, to }) => [domain, to && hostOf(to)]))
  for (const { domain } of redirects) {
    const path = [domain]
    for (let next = targets.get(domain); next !== undefined; next = targets.get(next)) {
      if (path.includes(next)) return [...path.slice(path.indexOf(next)), next]
      path.push(next)
    }
  }
  return undefined
}
