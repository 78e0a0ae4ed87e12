import { z } from 'zod'
import { Domain, Email, Id, PhpVersion, SystemUser, Tier, TlsMode } from '../fields.ts'
import { SITE_STATUSES } from '../values.ts'
import { body } from './body.ts'

/** `php` defaults to the setting default_php, `email` to the address of the caller. */
export const CreateSite = body({
  domain: Domain,
  php: PhpVersion.optional(),
  tier: Tier.default('small'),
  tls: TlsMode.default('letsencrypt'),
  email: Email.optional(),
})
export type CreateSite = z.infer<typeof CreateSite>

export const UpdateSite = body({ php: PhpVersion.optional(), tier: Tier.optional() }).refine(
  ({ php, tier }) => php !== undefined || tier !== undefined,
  'Must name php or tier',
)

export const IssueTls = body({ tls: TlsMode })
export const ScanSite = body({ site_id: Id })
export const ApplyPool = body({ user: SystemUser, php_version: PhpVersion, tier: Tier })

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
export const PurgeSite = body({ domain: Domain })

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
