import type { z } from 'zod'
import { command } from '#shared/command.ts'
import { AddressReport } from '#shared/copy.ts'
import { DnsChoice } from '#shared/dns-choice.ts'
import { Domain, ReportedDomain } from '#shared/fields.ts'
import { completesWith, operationType } from '#shared/operation-type.ts'
import { Accept } from '#shared/plan.ts'
import { Primary } from '#shared/primary-domain.ts'
import { ReportedNames } from '#shared/site-names.ts'
import { without_backup } from '#shared/without-backup.ts'

const siteRename = command({
  name: 'site.rename',
  summary: 'Change the primary domain of a WordPress site',
  changes: true,
  minutes: 24 * 60,
  silent_minutes: 30,
  params: Primary.extend({
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
  params: Primary.extend({
    accept: Accept.optional(),
    dns: DnsChoice.optional(),
    without_backup,
  }),
  outcome: completesWith(siteRename.result),
  bulk: null,
})
