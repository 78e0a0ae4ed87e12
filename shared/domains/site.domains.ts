import { command } from '#shared/kernel/command.ts'
import { Domain, ReportedDomain } from '#shared/kernel/fields.ts'
import { completesWith, operationType, SAME_DOMAIN } from '#shared/kernel/operation-type.ts'
import { Accept } from '#shared/kernel/plan.ts'
import { problemsOf, ReportedNames, SiteNames } from '#shared/kernel/site-names.ts'
import { DnsChoice } from './dns-choice.ts'

const siteDomains = command({
  name: 'site.domains',
  summary: 'Set the aliases and redirects of a site',
  changes: true,
  params: SiteNames.extend({
    domain: Domain.describe('The primary domain.'),
    accept: Accept.optional(),
  }).superRefine(({ domain, ...names }, context) => {
    for (const [field, messages] of Object.entries(problemsOf(domain, names)))
      for (const message of messages) context.addIssue({ code: 'custom', path: [field], message })
  }),
  result: ReportedNames.extend({ domain: ReportedDomain }),
})

export const siteDomainsType = operationType({
  name: 'Change domains',
  title: 'Change the domains of',
  target: 'site',
  command: siteDomains,
  right: 'operate',
  params: SiteNames.extend({ accept: Accept.optional(), dns: DnsChoice.optional() }),
  confirms: SAME_DOMAIN,
  outcome: completesWith(siteDomains.result),
  bulk: null,
})
