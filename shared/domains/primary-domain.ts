import { z } from 'zod'
import { Domain, oneOf } from '#shared/kernel/fields.ts'
import { apexOf } from '#shared/kernel/names.ts'
import {
  hostOf,
  NO_NAMES,
  pairOf,
  type Redirect,
  type SiteNames,
} from '#shared/kernel/site-names.ts'

const FORMER = ['redirect', 'alias', 'none'] as const

/** The new primary domain of a site, and the use of the former one. */
export const NewPrimary = z.object({
  primary: Domain.describe('The new primary domain: a name of the site, or a new one.'),
  former: oneOf(FORMER)
    .default('redirect')
    .describe(
      'The former primary domain: `redirect` redirects visitors to the new one (301, with the path), `alias` still shows the site, `none` removes it from the site.',
    ),
})
export type NewPrimary = z.infer<typeof NewPrimary>

type SiteWithNames = { domain: string; names?: SiteNames | undefined }

/** Returns the names of a site beside its new primary domain. */
export function namesAfter(
  { domain, names = NO_NAMES }: SiteWithNames,
  { primary, former }: NewPrimary,
): SiteNames {
  const taken = pairOf(primary)
  const isOther = (name: string) => !taken.includes(name)
  const aliases = names.aliases.filter(isOther)
  const redirects = names.redirects.filter((redirect) => isOther(redirect.domain))
  // With and without `www.` belong together: the former one cannot be removed.
  if (apexOf(domain) === apexOf(primary))
    return { www: former === 'alias' ? 'serve' : 'redirect', aliases, redirects }
  const both = former === 'none' ? [] : pairOf(domain)
  const served = former === 'redirect' ? [] : names.www === 'serve' ? both : both.slice(0, 1)
  const led = both.filter((name) => !served.includes(name))
  return {
    www: names.www,
    aliases: [...aliases, ...served],
    redirects: [
      ...redirects.map((one) => (former === 'none' ? redirectedTo(primary, domain, one) : one)),
      ...led.map(redirectFrom),
    ],
  }
}

/** Returns a redirect whose removed target is replaced by the new one, at the same path. */
function redirectedTo(primary: string, given_up: string, redirect: Redirect): Redirect {
  const { to = '' } = redirect
  const host = hostOf(to)
  if (host === undefined || !pairOf(given_up).includes(host)) return redirect
  return { ...redirect, to: to.replace(`://${host}`, `://${primary}`) }
}

const redirectFrom = (domain: string): Redirect => ({ domain, status: 301, keep_path: true })
