import { z } from 'zod'
import { VOLATILE_ROWS } from '#agent/kernel/database/digests.ts'
import { homeOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { type AddressReport, MAX_EXAMPLES, MAX_LEFT } from '#shared/copies/copy-source.ts'
import { writtenNamesOf } from './written-names.ts'

/** The original, which may be deleted, or of another server. */
export type OriginalSite = Pick<Site, 'domain' | 'user'>
export type DestinationSite = Pick<Site, 'domain' | 'user' | 'tls'>

/** Returns the scheme of addresses: without a certificate, those with https would lead nowhere. */
export const schemeOf = ({ tls }: Pick<Site, 'tls'>) => (tls === 'none' ? 'http' : 'https')

interface AddressRule {
  from: string
  to: string
}

/** Returns the texts that change: both names of the original, and its folder. */
function rulesFor(from: OriginalSite, to: DestinationSite): AddressRule[] {
  const scheme = schemeOf(to)
  const names = writtenNamesOf(from.domain).flatMap((name) => [
    { from: `https://${name}`, to: `${scheme}://${to.domain}` },
    { from: `http://${name}`, to: `${scheme}://${to.domain}` },
    { from: `//${name}`, to: `//${to.domain}` },
    { from: name, to: to.domain },
  ])
  if (from.user === to.user) return names
  return [...names, { from: homeOf(from.user), to: homeOf(to.user) }]
}

const REPORT_LIMITS = { kinds: MAX_LEFT, examples: MAX_EXAMPLES }

/** Returns the first line for `hosting-agent rewrite`, with a report of bounded size. */
export function requestFor(
  from: OriginalSite,
  to: DestinationSite,
  tables?: readonly string[],
): string {
  const request = {
    rules: rulesFor(from, to),
    ...REPORT_LIMITS,
    changed: false,
    digest: true,
    ignore: VOLATILE_ROWS,
    ...(tables && { tables }),
  }
  return `${JSON.stringify(request)}\n`
}

/** Returns a request for a report of the columns that would change, without a dump. */
export const countingRequestFor = (from: OriginalSite, to: DestinationSite): string =>
  `${JSON.stringify({ rules: rulesFor(from, to), ...REPORT_LIMITS, output: false })}\n`

const RewriteAnswer = z.object({
  replaced: z.int().nonnegative(),
  left: z.array(
    z.object({
      table: z.string(),
      column: z.string(),
      reason: z.string().max(32),
      count: z.int().nonnegative(),
      examples: z.array(z.string()),
    }),
  ),
})

/** Parses the report in the last line that the program wrote. Throws for anything else. */
export function readReport(stderr: string): AddressReport {
  const line = stderr.trimEnd().split('\n').at(-1) ?? ''
  const { replaced, left } = RewriteAnswer.parse(JSON.parse(line))
  return {
    replaced,
    left: left.slice(0, MAX_LEFT).map((kind) => ({
      ...kind,
      table: kind.table.slice(0, 64),
      column: kind.column.slice(0, 64),
      examples: kind.examples.slice(0, MAX_EXAMPLES).map((text) => text.slice(0, 120)),
    })),
  }
}
