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
export const Primary = z.object({
  primary: Domain.describe('The new primary domain: a name of the site, or a new one.'),
  former: oneOf(FORMER)
    .default('redirect')
    .describe(
      'The former primary domain: `redirect` redirects visitors to the new one (301, with the path), `alias` still shows the site, `none` removes it from the site.',
    ),
})
export type Primary = z.infer<typeof Primary>

type Named = { domain: string; names?: SiteNames | undefined }

/** The names of a site beside its new primary domain. */
export function namesAfter(
  { domain, names = NO_NAMES }: Named,
  { primary, former }: Primary,
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
      ...redirects.map((one) => (former === 'none' ? leadingTo(primary, domain, one) : one)),
      ...led.map(leading),
    ],
  }
}

/** A redirect to a name that is removed gets the new one as its target, at the same path. */
function leadingTo(primary: string, given_up: string, redirect: Redirect): Redirect {
  const { to = '' } = redirect
  const host = hostOf(to)
  if (host === undefined || !pairOf(given_up).includes(host)) return redirect
  return { ...redirect, to: to.replace(`://${host}`, `://${primary}`) }
}

const leading = (domain: string): Redirect => ({ domain, status: 301, keep_path: true })
