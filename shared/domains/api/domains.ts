import { strictObject, type z } from 'zod'
import { without_backup } from '#shared/backups/without-backup.ts'
import { DnsChoice } from '#shared/domains/dns-choice.ts'
import { NewPrimary } from '#shared/domains/primary-domain.ts'
import { body } from '#shared/kernel/api/body.ts'
import { ReportedDomain } from '#shared/kernel/fields.ts'
import { Accept, DryRun } from '#shared/kernel/plan.ts'
import { ReportedNames, SiteNames } from '#shared/kernel/site-names.ts'

export const SetDomains = body({
  ...SiteNames.shape,
  accept: Accept.optional(),
  dns: DnsChoice.optional(),
  dry_run: DryRun,
}).meta({ id: 'SetDomains' })

export const SetPrimary = body({
  ...NewPrimary.shape,
  accept: Accept.optional(),
  dns: DnsChoice.optional(),
  without_backup,
  dry_run: DryRun,
}).meta({ id: 'SetPrimary' })

const { primary } = NewPrimary.shape
export const PreviewPrimary = body({ primary, dry_run: DryRun }).meta({ id: 'PreviewPrimary' })

export const SiteDomains = strictObject({
  primary: ReportedDomain.describe('The domain of the site, where WordPress has its address.'),
  ...ReportedNames.shape,
}).meta({ id: 'SiteDomains', description: 'All names of a site, in A-label form.' })
export type SiteDomains = z.infer<typeof SiteDomains>
