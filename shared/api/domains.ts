import { strictObject, type z } from 'zod'
import { DnsChoice } from '#shared/dns-choice.ts'
import { ReportedDomain } from '#shared/fields.ts'
import { Accept, DryRun } from '#shared/plan.ts'
import { Primary } from '#shared/primary-domain.ts'
import { ReportedNames, SiteNames } from '#shared/site-names.ts'
import { without_backup } from '#shared/without-backup.ts'
import { body } from './body.ts'

export const SetDomains = body({
  ...SiteNames.shape,
  accept: Accept.optional(),
  dns: DnsChoice.optional(),
  dry_run: DryRun,
}).meta({ id: 'SetDomains' })

export const SetPrimary = body({
  ...Primary.shape,
  accept: Accept.optional(),
  dns: DnsChoice.optional(),
  without_backup,
  dry_run: DryRun,
}).meta({ id: 'SetPrimary' })

const { primary } = Primary.shape
export const PreviewPrimary = body({ primary, dry_run: DryRun }).meta({ id: 'PreviewPrimary' })

export const SiteDomains = strictObject({
  primary: ReportedDomain.describe('The domain of the site, where WordPress has its address.'),
  ...ReportedNames.shape,
}).meta({ id: 'SiteDomains', description: 'All names of a site, in A-label form.' })
export type SiteDomains = z.infer<typeof SiteDomains>
