import { z } from 'zod'
import { DnsChoice } from '#shared/domains/dns-choice.ts'
import { command } from '#shared/kernel/command.ts'
import { Id, ReportedDomain } from '#shared/kernel/fields.ts'
import { NEEDS } from '#shared/kernel/needs.ts'
import { completesWith, operationType, SAME_DOMAIN } from '#shared/kernel/operation-type.ts'
import { problemsOf, SiteNames } from '#shared/kernel/site-names.ts'
import { SettingsReport } from '#shared/sites/site.configure.ts'
import { siteCreate } from '#shared/sites/site.create.ts'
import { Staging } from '#shared/sites/staging.ts'
import { AddressReport, CopySource } from './copy-source.ts'

const amount = z.int().nonnegative()
const names = SiteNames.optional().describe('Its names beside its primary domain.')

export const siteClone = command({
  name: 'site.clone',
  summary: 'Create a site with the files and the database of another one, or of a backup',
  changes: true,
  needs: ({ from }) => (from.kind === 'backup' ? NEEDS.backups : NEEDS.clones),
  minutes: 24 * 60,
  silent_minutes: 15,
  params: siteCreate.params
    .extend({
      from: CopySource,
      staging: Staging.optional(),
      with_jobs: z.boolean().optional().describe('Default: only the cron jobs of a backup.'),
      names,
    })
    .superRefine(({ domain, names }, context) => {
      for (const [message] of Object.values(names ? problemsOf(domain, names) : {}))
        context.addIssue({ code: 'custom', message: message ?? '', path: ['names'] })
    }),
  result: z.object({
    domain: ReportedDomain,
    at: z.iso.datetime().describe('The time of the copied state.'),
    files: amount.describe('Files, folders and links.'),
    bytes: amount.describe('The files and the dump, uncompressed.'),
    tables: amount,
    addresses: AddressReport,
    settings: SettingsReport.optional().describe('Those of the original that it took over.'),
  }),
})

/** The original of a clone: a site or a backup. */
export const CloneOf = z.discriminatedUnion(
  'kind',
  [
    z.object({ kind: z.literal('site'), site_id: Id }),
    z.object({ kind: z.literal('backup'), backup_id: Id }),
  ],
  { error: 'Must have a kind: site, backup' },
)

export type CloneOf = z.infer<typeof CloneOf>

/** The dashboard has filled in the fields that a call omitted. */
export const siteCloneType = operationType({
  name: 'Clone site',
  title: 'Clone a site to',
  target: 'site',
  command: siteClone,
  right: 'operate',
  params: siteCreate.params.extend({
    from: CloneOf,
    staging: Staging.optional(),
    with_jobs: z.boolean().optional(),
    names,
    dns: DnsChoice.optional(),
  }),
  confirms: { ...SAME_DOMAIN, 'settings.domain': 'domain' },
  outcome: completesWith(siteClone.result),
  bulk: null,
})
