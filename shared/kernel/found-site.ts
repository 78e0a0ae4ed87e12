import { z } from 'zod'
import { Domain } from './fields.ts'
import { Updates } from './inventory.ts'
import { FOUND_TLS_MODES, FRAMEWORKS, TIERS } from './values.ts'

/** Truncates a text instead of refusing it: a site chooses some of these texts. */
export const truncated = (most: number) => z.string().transform((value) => value.slice(0, most))

/** The reason why a value of a discovered site is unknown: a code such as `no_pool`. */
export const ReasonCode = z.string().regex(/^[a-z][a-z_]{0,39}$/)

/**
 * A site on the machine, created by this agent or not. `php` is `""` for a site without PHP.
 * Unknown values are empty (`tls`: none), and `unknown` has the reason by the name of the field.
 */
export const FoundSite = z.object({
  domain: Domain,
  names: z.array(truncated(255)).max(1000).optional().describe('All its names, as configured.'),
  closed: z.boolean().optional().describe('Its web server refuses every visitor.'),
  suspended: z.literal(true).optional(),
  unknown: z.record(z.string().max(40), ReasonCode).optional(),
  user: truncated(64),
  docroot: truncated(1024),
  php: truncated(16),
  tier: z.enum(TIERS),
  tls: z.enum(FOUND_TLS_MODES),
  framework: z.enum(FRAMEWORKS),
  wp_version: truncated(64),
  db_name: truncated(64),
  updates: Updates,
})
export type FoundSite = z.infer<typeof FoundSite>

/** A site without a domain: it answers to a wildcard, an expression, an address, or any name. */
export const UnnamedSite = FoundSite.omit({ domain: true })
export type UnnamedSite = z.infer<typeof UnnamedSite>
