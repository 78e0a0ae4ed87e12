import { z } from 'zod'
import { digits, Limit } from '#shared/kernel/api/activity.ts'
import { Flag, someOf } from '#shared/kernel/api/query.ts'
import { oneOf, Tag } from '#shared/kernel/fields.ts'
import {
  DISK_LEVELS,
  FOUND_TLS_MODES,
  FRAMEWORKS,
  HEALTH_STATES,
  SITE_STATUSES,
  TIERS,
} from '#shared/kernel/values.ts'

export const SITE_SORTS = [
  'id',
  'domain',
  'server',
  'status',
  'php',
  'tier',
  'wp_version',
  'updates',
  'certificate_expires_at',
  'created_at',
  'health',
] as const

const phpRule = 'Must be one or more PHP versions such as 8.2,8.3'
const PhpVersions = z
  .string(phpRule)
  .regex(/^\d{1,2}\.\d{1,2}(,\d{1,2}\.\d{1,2}){0,19}$/, phpRule)
  .transform((text) => text.split(','))

const wordpressRule = 'Must be one or more WordPress versions such as 7.1,6.9.2'
const WordpressVersions = z
  .string(wordpressRule)
  .regex(/^\d{1,3}(\.\d{1,3}){0,3}(,\d{1,3}(\.\d{1,3}){0,3}){0,19}$/, wordpressRule)
  .transform((text) => text.split(','))

/** The filters of sites, all of which must match, and their order: without pages. */
export const FleetSiteIdsQuery = z.object({
  q: z
    .string()
    .trim()
    .max(253, 'Must have at most 253 characters')
    .optional()
    .describe(
      'Words that must all be part of a name of the site (its domain, an alias or a redirect), in ASCII or in Unicode, or of the system user; an address is reduced to its host.',
    ),
  server_id: digits('Must be an id').optional(),
  tag: Tag.optional().describe('Of the server.'),
  status: someOf(SITE_STATUSES).optional(),
  tier: someOf(TIERS).optional(),
  php: PhpVersions.optional().describe('One or more PHP versions, with commas between them.'),
  wp_version: WordpressVersions.optional().describe(
    'One or more WordPress versions, with commas between them: 7.1 includes 7.1.2.',
  ),
  tls: someOf(FOUND_TLS_MODES).optional(),
  framework: someOf(FRAMEWORKS).optional(),
  updates: Flag.optional().describe('true: only sites with a known update.'),
  expiring: Flag.optional().describe(
    'true: only sites in use whose certificate has expired or expires within 14 days.',
  ),
  health: someOf(HEALTH_STATES).optional().describe('Only sites in use have a health.'),
  disk: someOf(DISK_LEVELS)
    .optional()
    .describe('The disk use: over the limit of the tier, near it, or not measured.'),
  errors: Flag.optional().describe(
    'true: only sites that answered at least 10 requests, and at least 1 % of all, with 5xx since yesterday (UTC).',
  ),
  managed: Flag.optional().describe('false: only discovered sites.'),
  ignored: Flag.optional().describe('true: only ignored sites, which are otherwise omitted.'),
  staging: Flag.optional().describe('true: only staging sites; false: none of them.'),
  conflict: Flag.optional().describe('true: only sites whose name another server also has.'),
  sort: oneOf(SITE_SORTS).default('domain'),
  order: oneOf(['asc', 'desc']).default('asc'),
})
export type FleetSiteIdsQuery = z.infer<typeof FleetSiteIdsQuery>

export const FleetSitesQuery = FleetSiteIdsQuery.extend({
  page: digits('Must be a whole number above 0').default(1).describe('1 is the first.'),
  per_page: Limit.default(50).describe('Up to 500; default 50.'),
})
export type FleetSitesQuery = z.infer<typeof FleetSitesQuery>
