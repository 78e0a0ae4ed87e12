import { z } from 'zod'
import { Domain } from './fields.ts'
import { Updates } from './inventory.ts'
import { FOUND_TLS_MODES, FRAMEWORKS, TIERS } from './values.ts'

/**
 * Cut instead of refused: a site chooses some of these texts, and must not make the report of its
 * server unreadable.
 */
export const cut = (most: number) => z.string().transform((value) => value.slice(0, most))

/** Why a value of a discovered site is unknown: a code such as `no_pool`, never a sentence. */
export const ReasonCode = z.string().regex(/^[a-z][a-z_]{0,39}$/)

/**
 * A site on the machine, created by this agent or not. `php` is `""` for a site without PHP.
 * Unknown values are empty (`tls`: none), and `unknown` has the reason by the name of the field.
 */
export const FoundSite = z.object({
  domain: Domain,
  names: z.array(cut(255)).max(1000).optional().describe('All its names, as configured.'),
  closed: z.boolean().optional().describe('Its web server refuses every visitor.'),
  suspended: z.literal(true).optional(),
  unknown: z.record(z.string().max(40), ReasonCode).optional(),
  user: cut(64),
  docroot: cut(1024),
  php: cut(16),
  tier: z.enum(TIERS),
  tls: z.enum(FOUND_TLS_MODES),
  framework: z.enum(FRAMEWORKS),
  wp_version: cut(64),
  db_name: cut(64),
  updates: Updates,
})
export type FoundSite = z.infer<typeof FoundSite>

/** A site without a domain: it answers to a wildcard, an expression, an address, or any name. */
export const UnnamedSite = FoundSite.omit({ domain: true })
export type UnnamedSite = z.infer<typeof UnnamedSite>
