import { z } from 'zod'
import { Domain, Email, Id, PhpVersion, SystemUser, Tier, TlsMode } from '../fields.ts'
import { DryRun } from '../plan.ts'
import { SITE_STATUSES } from '../values.ts'
import { body } from './body.ts'

/**
 * `php` defaults to the setting default_php, `email` to the address of the caller, `user` to a new name
 * made from the domain: a plan tells it, and given here it is the one that the plan was made for.
 */
export const CreateSite = body({
  domain: Domain,
  php: PhpVersion.optional(),
  tier: Tier.default('small'),
  tls: TlsMode.default('letsencrypt'),
  email: Email.optional(),
  user: SystemUser.optional(),
  dry_run: DryRun,
})
export type CreateSite = z.infer<typeof CreateSite>

export const UpdateSite = body({
  php: PhpVersion.optional(),
  tier: Tier.optional(),
  dry_run: DryRun,
}).refine(({ php, tier }) => php !== undefined || tier !== undefined, 'Must name php or tier')

export const IssueTls = body({ tls: TlsMode, dry_run: DryRun })
export const ScanSite = body({ site_id: Id })
export const ApplyPool = body({
  user: SystemUser,
  php_version: PhpVersion,
  tier: Tier,
  dry_run: DryRun,
})

const id = z.number().int().positive()

const core = {
  id,
  domain: z.string(),
  user: z.string(),
  php: z.string(),
  tier: Tier,
  tls: TlsMode,
  wp_version: z.string(),
}

/** Counts are 0 while nothing is known; the fleet endpoints tell unknown from zero. */
export const SiteListed = z.strictObject({
  ...core,
  updates: z.strictObject({ plugins: z.number(), themes: z.number(), core: z.boolean() }),
})
export type SiteListed = z.infer<typeof SiteListed>

export const SiteDetail = z.strictObject({
  ...core,
  docroot: z.string(),
  framework: z.string(),
  db_name: z.string(),
  created_at: z.string(),
})
export type SiteDetail = z.infer<typeof SiteDetail>

/** The domain is given once more, since nothing brings the site back afterwards. */
export const PurgeSite = body({ domain: Domain, dry_run: DryRun })

/** A site in the trash of a server. `server` is its name, `size` bytes, null while unknown. */
export const TrashEntry = z.strictObject({
  id,
  domain: z.string(),
  server_id: id,
  server: z.string(),
  status: z.enum(SITE_STATUSES),
  status_reason: z.string(),
  trashed_at: z.string().nullable(),
  purge_at: z.string().nullable(),
  size: z.number().nullable(),
})
export type TrashEntry = z.infer<typeof TrashEntry>
