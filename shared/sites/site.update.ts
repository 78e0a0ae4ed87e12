import { z } from 'zod'
import { without_backup } from '#shared/backups/without-backup.ts'
import { command } from '#shared/kernel/command.ts'
import { Domain, PhpVersion, ReportedDomain, Tier, TrueOrFalse } from '#shared/kernel/fields.ts'
import {
  bulkParams,
  completesWith,
  operationType,
  SAME_DOMAIN,
} from '#shared/kernel/operation-type.ts'
import { Accept } from '#shared/kernel/plan.ts'

export const siteUpdate = command({
  name: 'site.update',
  summary:
    'Move a site to another PHP version or tier, change the rights of its database account, or switch xmlrpc.php',
  changes: true,
  minutes: 60,
  params: z.object({
    domain: Domain,
    php: PhpVersion.optional(),
    tier: Tier.optional(),
    database_routines: TrueOrFalse.optional(),
    xmlrpc: TrueOrFalse.optional(),
    accept: Accept.optional(),
  }),
  result: z.object({
    domain: ReportedDomain,
    php: z.string().max(16),
    tier: Tier,
    /** Absent in the report of an agent of another protocol, like the next field. */
    database_routines: TrueOrFalse.optional(),
    xmlrpc: TrueOrFalse.optional(),
  }),
})

export const siteUpdateType = operationType({
  name: 'Change site',
  title: 'Change',
  target: 'site',
  command: siteUpdate,
  right: 'operate',
  params: siteUpdate.params.omit({ domain: true }).extend({ without_backup }),
  confirms: {
    ...SAME_DOMAIN,
    php: 'php',
    tier: 'tier',
    database_routines: 'database_routines',
    xmlrpc: 'xmlrpc',
  },
  outcome: completesWith(siteUpdate.result),
  bulk: {
    title: 'Change',
    params: bulkParams({
      php: PhpVersion.optional(),
      tier: Tier.optional(),
      accept: Accept.optional(),
      without_backup,
    }).refine(({ php, tier }) => php !== undefined || tier !== undefined, 'Must name php or tier'),
    words: { php: 'PHP', tier: 'tier', accept: null, without_backup: null },
  },
})
