import { z } from 'zod'
import { oneOf, type Tier, TrueOrFalse } from '#shared/kernel/fields.ts'
import {
  PHP_LIMITS,
  PHP_RANGES,
  type PhpLimit,
  phpValueProblem,
} from '#shared/kernel/php-values.ts'
import { CDNS } from './cdn.ts'
import { StagingPasswordHash, StagingUser } from './staging.ts'

const MAX_ADDRESSES = 50
const MAX_EXCLUSIONS = 50

const NETWORK = 'Must be an IP address or a network such as 203.0.113.0/24'
const NETWORKS = [z.ipv4(), z.cidrv4(), z.ipv6(), z.cidrv6()]
const Network = z
  .string(NETWORK)
  .max(64, NETWORK)
  .refine((text) => NETWORKS.some((format) => format.safeParse(text).success), NETWORK)

const unique = (values: readonly string[]) => new Set(values).size === values.length

const listOf = <T extends z.ZodType<string>>(one: T, what: string, most: number) =>
  z
    .array(one, `Must be a list of ${what}`)
    .max(most, `Must have at most ${most} ${what}`)
    .refine(unique, 'Must not have duplicates')

/** The maintenance page: visitors see it with the status 503; the jobs of the site run. */
export const Maintenance = z.object({
  allow: listOf(Network, 'addresses', MAX_ADDRESSES)
    .default([])
    .describe('Addresses and networks of visitors who see the site.'),
  message: z
    .string('Must be a string')
    .trim()
    .max(300, 'The message must have at most 300 characters')
    .refine(
      (text) => !/[\p{Cc}--\n]/v.test(text),
      'The message must not contain control characters',
    )
    .default('')
    .describe('Shown on the page; empty: a usual text.'),
})
export type Maintenance = z.infer<typeof Maintenance>

/** The HTTP basic authentication that nginx checks. */
export const BasicAuth = z.object({ user: StagingUser, password_hash: StagingPasswordHash })

const values = z
  .record(z.string().max(64), z.string('Must be a string').max(500), 'Must be a JSON object')
  .superRefine((given, context) => {
    for (const [name, value] of Object.entries(given)) {
      const message = phpValueProblem(name, value)
      if (message !== undefined) context.addIssue({ code: 'custom', message, path: [name] })
    }
  })

/** Returns the schema of a setting with errors under `php_settings` that name it. */
function limit(name: PhpLimit, least: number, most: number) {
  const message = `${name} must be a whole number between ${least} and ${most}`
  return z.number(message).int(message).min(least, message).max(most, message).optional()
}

/** The settings of PHP; omitted ones are those of the tier. */
export const PhpSettings = z.object({
  memory_limit: limit('memory_limit', 64, 4096).describe('MB of one request.'),
  upload: limit('upload', 1, 4096).describe('MB of one upload; nginx accepts as much.'),
  execution_time: limit('execution_time', 10, 3600).describe('Seconds of one request.'),
  input_vars: limit('input_vars', 1000, 100_000).describe('Fields of one form.'),
  values: values.default({}).describe('Other settings of php.ini, from a list, as text.'),
})
export type PhpSettings = z.infer<typeof PhpSettings>

/** Returns a sentence for each limit that exceeds that of the tier. */
export function beyondTier(php: PhpSettings, tier: Tier): string[] {
  const ranges = PHP_RANGES[tier]
  return PHP_LIMITS.filter((name) => (php[name] ?? 0) > ranges[name].most).map(
    (name) => `${name} must be at most ${ranges[name].most} on the tier ${tier}`,
  )
}

const Path = z
  .string('Must be a string')
  .max(200, 'Must have at most 200 characters')
  .regex(/^(?:\/(?:[A-Za-z0-9._~-]|%[0-9A-F]{2})+)+$/, 'Must be a path such as /members')
const Cookie = z
  .string('Must be a string')
  .regex(/^[A-Za-z0-9_.-]{1,64}$/, 'Must have 1 to 64 of A-Z a-z 0-9 _ . -')

export const PageCache = z.object({
  enabled: TrueOrFalse.default(true),
  paths: listOf(Path, 'paths', MAX_EXCLUSIONS)
    .default([])
    .describe('Paths that are not stored, with everything below them.'),
  cookies: listOf(Cookie, 'cookies', MAX_EXCLUSIONS)
    .default([])
    .describe(
      'Pages for visitors with a cookie whose name begins with one of these are not stored.',
    ),
})
export type PageCache = z.infer<typeof PageCache>

export const XMLRPC_MODES = ['on', 'jetpack', 'off'] as const
export const Xmlrpc = oneOf(XMLRPC_MODES).describe(
  'Who may call xmlrpc.php: everybody, only the published addresses of Jetpack, or nobody.',
)
export type Xmlrpc = z.infer<typeof Xmlrpc>

export const TrustedCdn = oneOf(CDNS).describe(
  'The network in front of the site, which reports the address of each visitor. The header is ignored in requests from other networks.',
)

export const PagePurge = TrueOrFalse.describe(
  'Whether WordPress removes the pages that it changes from the page cache.',
)

export const CSP_MODES = ['basic', 'report', 'off'] as const
export const Csp = oneOf(CSP_MODES).describe(
  'The content security policy, where the site sends none of its own. `basic` has the rules that every WordPress can live with; `report` also has a strict policy that browsers only report in their console.',
)
export type Csp = z.infer<typeof Csp>

export const HSTS_MODES = ['on', 'subdomains', 'off'] as const
export const Hsts = oneOf(HSTS_MODES).describe(
  'Whether browsers use https alone for a year (HSTS), also for subdomains. It is sent with a certificate that browsers trust; `off` makes browsers forget it.',
)
export type Hsts = z.infer<typeof Hsts>

/** The settings of a site beside its PHP version and tier; omitted ones have their defaults. */
export const SiteSettings = z
  .object({
    maintenance: Maintenance,
    basic_auth: BasicAuth,
    php_settings: PhpSettings,
    page_cache: PageCache,
    xmlrpc: z.literal('jetpack'),
    trusted_cdn: TrustedCdn,
    page_purge: z.literal(true),
    csp: Csp.exclude(['basic']),
    hsts: Hsts.exclude(['on']),
  })
  .partial()
  .strict()
export type SiteSettings = z.infer<typeof SiteSettings>
