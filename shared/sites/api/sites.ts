import { strictObject, z } from 'zod'
import { without_backup } from '#shared/backups/without-backup.ts'
import { DnsChoice } from '#shared/domains/dns-choice.ts'
import { body, openBody } from '#shared/kernel/api/body.ts'
import { Count, RecordId, Timestamp } from '#shared/kernel/api/parts.ts'
import {
  Domain,
  Email,
  Id,
  PhpVersion,
  required,
  SiteSystemUser,
  Tier,
  TlsMode,
  TrueOrFalse,
} from '#shared/kernel/fields.ts'
import { Accept, DryRun, Plan } from '#shared/kernel/plan.ts'
import { FOUND_TLS_MODES, FRAMEWORKS, SITE_STATUSES } from '#shared/kernel/values.ts'
import { siteCreate } from '#shared/sites/site.create.ts'

export const CreateSite = openBody({
  domain: Domain.describe(
    'Unique over all sites that the dashboard created and all sites of the server, with and without www.',
  ),
  php: PhpVersion.optional().describe(
    'Default: the setting default_php if the server has that version, else the newest version of the server.',
  ),
  tier: Tier.default('small'),
  tls: TlsMode.default('letsencrypt'),
  email: Email.optional().describe(
    'For the WordPress administrator and for certificates; default: that of the caller.',
  ),
  user: SiteSystemUser.optional().describe(
    'The system user; default: a new name derived from the domain. Pass the one of a plan to create exactly what it describes.',
  ),
  accept: Accept.optional(),
  dns: DnsChoice.optional(),
  dry_run: DryRun,
}).meta({ id: 'CreateSite' })
export type CreateSite = z.infer<typeof CreateSite>

export const UpdateSite = body({
  php: PhpVersion.optional(),
  tier: Tier.optional(),
  database_routines: TrueOrFalse.optional().describe(
    "Whether the site's database account can create views, stored routines, triggers and events.",
  ),
  xmlrpc: TrueOrFalse.optional().describe(
    'Whether xmlrpc.php answers, which Jetpack and older apps need. Its requests are limited.',
  ),
  accept: Accept.optional(),
  without_backup,
  dry_run: DryRun,
})
  .refine(
    ({ php, tier, database_routines, xmlrpc }) =>
      [php, tier, database_routines, xmlrpc].some((value) => value !== undefined),
    'Must name php, tier, database_routines or xmlrpc',
  )
  .meta({
    id: 'UpdateSite',
    description: 'Names at least one of php, tier, database_routines and xmlrpc.',
  })

export const DeleteSite = body({ without_backup, dry_run: DryRun }).meta({ id: 'DeleteSite' })

export const IgnoreSite = body({
  ignored: z.boolean(required('Ignored', 'Must be true or false')),
}).meta({ id: 'IgnoreSite' })

export const IgnoredSite = strictObject({
  id: RecordId,
  domain: z.string(),
  ignored: z.boolean(),
}).meta({ id: 'IgnoredSite', description: 'A found site, and whether it is ignored.' })

export const IssueTls = body({ tls: TlsMode, dry_run: DryRun }).meta({ id: 'IssueTls' })
export const ScanSite = openBody({ site_id: Id }).meta({ id: 'ScanSite' })
export const ApplyPool = openBody({
  user: SiteSystemUser,
  php_version: PhpVersion,
  tier: Tier,
  dry_run: DryRun,
}).meta({ id: 'ApplyPool' })

const core = {
  id: RecordId,
  domain: z.string(),
  user: z.string(),
  php: z.string(),
  tier: Tier,
  tls: z.enum(FOUND_TLS_MODES),
  wp_version: z.string(),
}

export const SiteListed = strictObject({
  ...core,
  updates: z
    .strictObject({ plugins: Count, themes: Count, core: z.boolean() })
    .describe('0 while unknown: the calls of the fleet distinguish unknown from zero.'),
}).meta({ id: 'SiteListed', description: 'A site in the list of its server.' })
export type SiteListed = z.infer<typeof SiteListed>

export const SiteDetail = strictObject({
  ...core,
  docroot: z.string(),
  framework: z.enum(FRAMEWORKS),
  db_name: z.string(),
  created_at: Timestamp,
}).meta({ id: 'SiteDetail', description: 'A site.' })
export type SiteDetail = z.infer<typeof SiteDetail>

export const RestoreSite = body({ accept: Accept.optional(), dry_run: DryRun }).meta({
  id: 'RestoreSite',
})

export const PurgeSite = body({
  domain: Domain.describe('The domain of the site again, since the deletion cannot be undone.'),
  dry_run: DryRun,
}).meta({ id: 'PurgeSite' })

export const SiteChanging = strictObject({
  id: RecordId,
  domain: z.string(),
  status: z.enum(SITE_STATUSES),
}).meta({ id: 'SiteChanging', description: 'A site with an operation in the background.' })
export type SiteChanging = z.infer<typeof SiteChanging>

export const ChangingAnswer = z.strictObject({ site: SiteChanging })

export const TrashEntry = strictObject({
  id: RecordId,
  domain: z.string(),
  server_id: RecordId,
  server: z.string().describe('The name of the server.'),
  status: z.enum(SITE_STATUSES),
  status_reason: z.string(),
  trashed_at: Timestamp.nullable(),
  purge_at: Timestamp.nullable().describe('When it is permanently deleted automatically.'),
  size: z.number().nullable().describe('Bytes; null while unknown.'),
}).meta({ id: 'TrashEntry', description: 'A site in the trash of a server.' })
export type TrashEntry = z.infer<typeof TrashEntry>

/** Other servers with a site of the same name. */
export const AlsoOn = z
  .array(z.strictObject({ site_id: RecordId, server_id: RecordId, server: z.string() }))
  .describe(
    'Sites of other servers with the same name, with or without www., at most 10, without ignored ones. One of them at most is managed; the others were found there.',
  )

/** The plan, with the default values of all omitted fields. */
export const SitePlan = strictObject({
  site: z.strictObject({
    ...siteCreate.params.omit({ domain: true, accept: true }).shape,
    domain: z.string(),
  }),
  plan: Plan,
  also_on: AlsoOn,
}).meta({ id: 'SitePlan', description: 'The plan, with the default values of omitted fields.' })
export type SitePlan = z.infer<typeof SitePlan>

const password = z.string().describe('Not stored.')

export const ShownPassword = strictObject({ password }).meta({
  id: 'ShownPassword',
  description: 'A requested password.',
})

export const ShownAdmin = strictObject({ user: z.string(), password }).meta({
  id: 'ShownAdmin',
  description: 'The WordPress administrator, with a new password.',
})
