import type { z } from 'zod'
import { without_backup } from '#shared/backups/without-backup.ts'
import { DnsChoice } from '#shared/domains/dns-choice.ts'
import { NewPrimary } from '#shared/domains/primary-domain.ts'
import { command } from '#shared/kernel/command.ts'
import { Domain, ReportedDomain } from '#shared/kernel/fields.ts'
import { completesWith, operationType } from '#shared/kernel/operation-type.ts'
import { Accept } from '#shared/kernel/plan.ts'
import { ReportedNames } from '#shared/kernel/site-names.ts'
import { AddressReport } from './copy-source.ts'

const siteRename = command({
  name: 'site.rename',
  summary: 'Change the primary domain of a WordPress site',
  changes: true,
  minutes: 24 * 60,
  silent_minutes: 30,
  params: NewPrimary.extend({
    domain: Domain.describe('The current primary domain.'),
    accept: Accept.optional(),
  }).refine(({ domain, primary }) => domain !== primary, {
    path: ['primary'],
    error: 'Must differ from the current primary domain',
  }),
  result: ReportedNames.extend({
    domain: ReportedDomain.describe('The new primary domain.'),
    former: ReportedDomain,
    addresses: AddressReport,
  }),
})
export type Renamed = z.infer<typeof siteRename.result>

export const siteRenameType = operationType({
  name: 'Change primary domain',
  title: 'Change the primary domain of',
  target: 'site',
  command: siteRename,
  right: 'operate',
  params: NewPrimary.extend({
    accept: Accept.optional(),
    dns: DnsChoice.optional(),
    without_backup,
  }),
  confirms: { domain: 'primary', former: 'domain' },
  outcome: completesWith(siteRename.result),
  bulk: null,
})
