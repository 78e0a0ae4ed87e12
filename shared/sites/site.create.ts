import { z } from 'zod'
import { DnsChoice } from '#shared/domains/dns-choice.ts'
import { command } from '#shared/kernel/command.ts'
import {
  Domain,
  Email,
  PhpVersion,
  ReportedDomain,
  SiteSystemUser,
  Tier,
  TlsMode,
} from '#shared/kernel/fields.ts'
import { completesWith, operationType, SAME_DOMAIN } from '#shared/kernel/operation-type.ts'
import { Accept } from '#shared/kernel/plan.ts'

export const siteCreate = command({
  name: 'site.create',
  summary: 'Create a WordPress site with a system user, pool, database and virtual host of its own',
  changes: true,
  minutes: 60,
  params: z.object({
    domain: Domain,
    php: PhpVersion,
    tier: Tier.default('small'),
    tls: TlsMode.default('letsencrypt'),
    /** WordPress administrator and ACME contact. */
    email: Email,
    user: SiteSystemUser,
    accept: Accept.optional(),
  }),
  result: z.object({ domain: ReportedDomain }),
})

/** The dashboard has filled in the fields that a call omitted. */
export const siteCreateType = operationType({
  name: 'Create site',
  title: 'Create',
  target: 'site',
  command: siteCreate,
  right: 'operate',
  params: siteCreate.params.extend({ dns: DnsChoice.optional() }),
  confirms: SAME_DOMAIN,
  outcome: completesWith(siteCreate.result),
  bulk: null,
})
