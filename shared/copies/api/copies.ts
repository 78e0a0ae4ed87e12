import { strictObject, z } from 'zod'
import { without_backup } from '#shared/backups/without-backup.ts'
import { CloneOf } from '#shared/copies/site.clone.ts'
import { siteCompareType } from '#shared/copies/site.compare.ts'
import { hasContentToPush, NOTHING_TO_PUSH, PushResult } from '#shared/copies/site.push.ts'
import { DnsChoice } from '#shared/domains/dns-choice.ts'
import { body } from '#shared/kernel/api/body.ts'
import { RecordId, Timestamp } from '#shared/kernel/api/parts.ts'
import {
  Domain,
  Email,
  PhpVersion,
  SiteSystemUser,
  Tier,
  TlsMode,
  TrueOrFalse,
} from '#shared/kernel/fields.ts'
import { Accept, DryRun } from '#shared/kernel/plan.ts'
import { FOUND_TLS_MODES, SITE_STATUSES } from '#shared/kernel/values.ts'

export const CloneSite = body({
  domain: Domain.describe('The address of the copy.'),
  from: CloneOf.describe(
    'A site as it is now, or any backup, also of a site that is gone. A site on another server is backed up first.',
  ),
  php: PhpVersion.optional().describe('Default: that of the original if the server has it.'),
  tier: Tier.optional().describe('Default: that of the original.'),
  tls: TlsMode.optional().describe('Default: that of the original.'),
  email: Email.optional().describe('For certificates; default: that of the original.'),
  user: SiteSystemUser.optional().describe('The system user; default: a new name.'),
  staging: TrueOrFalse.default(false).describe(
    'A staging site: visitors need a password, and it sends no mail and runs no jobs.',
  ),
  with_jobs: TrueOrFalse.optional().describe(
    'Its cron jobs, too; a staging site has none. Default: those of a backup, and none of a site.',
  ),
  dns: DnsChoice.optional(),
  accept: Accept.optional(),
  dry_run: DryRun,
}).meta({ id: 'CloneSite' })
export type CloneSite = z.infer<typeof CloneSite>

export const RefreshSite = body({
  from: CloneOf.optional().describe('Default: the live site of which it is a copy.'),
  dry_run: DryRun,
}).meta({ id: 'RefreshSite' })

const { staging_id } = siteCompareType.params.shape
export const CompareSites = body({ staging_id, dry_run: DryRun }).meta({ id: 'CompareSites' })

export const PushSite = body({
  staging_id,
  files: PushResult.shape.files,
  tables: PushResult.shape.tables.default([]),
  overwrite: PushResult.shape.overwrite,
  without_backup,
  dry_run: DryRun,
})
  .refine(hasContentToPush, NOTHING_TO_PUSH)
  .meta({ id: 'PushSite' })

export const SiteCopy = strictObject({
  id: RecordId,
  server_id: RecordId,
  server: z.string().describe('The name of the server.'),
  domain: z.string(),
  tls: z.enum(FOUND_TLS_MODES),
  status: z.enum(SITE_STATUSES),
  staging: z.boolean(),
  created_at: Timestamp,
}).meta({ id: 'SiteCopy', description: 'A copy of a site, or the site that it is a copy of.' })
export type SiteCopy = z.infer<typeof SiteCopy>

export const ShownStaging = strictObject({ user: z.string(), password: z.string() }).meta({
  id: 'ShownStaging',
  description: 'What visitors of a staging site sign in with.',
})
export type ShownStaging = z.infer<typeof ShownStaging>
