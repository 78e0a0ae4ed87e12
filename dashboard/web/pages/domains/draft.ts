import type { Names } from '#dashboard/web/api/domains.ts'
import type { SiteDomains } from '#shared/domains/api/domains.ts'
import { baseOf, canonicalDomain } from '#shared/kernel/names.ts'
import { problemsOf, SiteNames } from '#shared/kernel/site-names.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'

/** A redirect as it is typed; `key` tells rows apart. */
export interface DraftRedirect {
  key: number
  domain: string
  to: string
  isPermanent: boolean
  keepsPath: boolean
}

export interface Draft {
  redirectsWww: boolean
  /** One name in each line. */
  aliases: string
  redirects: DraftRedirect[]
}

export const draftOf = ({ www, aliases, redirects }: SiteDomains): Draft => ({
  redirectsWww: www === 'redirect',
  aliases: aliases.map(unicodeOf).join('\n'),
  redirects: redirects.map(({ domain, to = '', status, keep_path }, key) => ({
    key,
    domain: unicodeOf(domain),
    to,
    isPermanent: status === 301,
    keepsPath: keep_path,
  })),
})

export const emptyRedirect = (rows: readonly DraftRedirect[]): DraftRedirect => ({
  key: 1 + Math.max(-1, ...rows.map(({ key }) => key)),
  domain: '',
  to: '',
  isPermanent: true,
  keepsPath: true,
})

interface CheckedNames {
  /** The names of the draft; undefined when something in the draft is wrong. */
  names: Names | undefined
  /** By field. */
  mistakes: { aliases?: string; redirects?: string }
}

/** The names of a draft, by the rules that the dashboard has. */
export function namesOf(primary: string, draft: Draft): CheckedNames {
  const aliases = draft.aliases.split(/[\s,]+/).filter((name) => name !== '')
  const redirects = draft.redirects.filter(({ domain, to }) => domain !== '' || to !== '')
  const invalid = aliases.filter((name) => canonicalDomain(baseOf(name)) === undefined)
  if (invalid.length > 0)
    return { names: undefined, mistakes: { aliases: `No valid domain: ${invalid.join(', ')}` } }
  const parsed = SiteNames.safeParse({
    www: draft.redirectsWww ? 'redirect' : 'serve',
    aliases,
    redirects: redirects.map(({ domain, to, isPermanent, keepsPath }) => ({
      domain,
      status: isPermanent ? 301 : 302,
      keep_path: keepsPath,
      ...(to.trim() !== '' && { to: to.trim() }),
    })),
  })
  if (!parsed.success)
    return {
      names: undefined,
      mistakes: { [fieldOf(parsed.error)]: parsed.error.issues[0]?.message },
    }
  const problems = problemsOf(primary, parsed.data)
  const [field] = Object.keys(problems)
  if (field === undefined) return { names: parsed.data, mistakes: {} }
  return { names: undefined, mistakes: { [field]: problems[field]?.[0] } }
}

const fieldOf = ({ issues }: { issues: readonly { path: readonly PropertyKey[] }[] }) =>
  issues[0]?.path[0] === 'aliases' ? 'aliases' : 'redirects'
