import { z } from 'zod'
import { command } from '#shared/command.ts'
import { DatabaseRoutines, Domain, PhpVersion, Tier, Xmlrpc } from '#shared/fields.ts'
import { Accept } from '#shared/plan.ts'

export const siteUpdate = command({
  name: 'site.update',
  summary:
    'Move a site to another PHP version or tier, change the rights of its database account, or switch xmlrpc.php',
  changes: true,
  params: z.object({
    domain: Domain,
    php: PhpVersion.optional(),
    tier: Tier.optional(),
    database_routines: DatabaseRoutines.optional(),
    xmlrpc: Xmlrpc.optional(),
    accept: Accept.optional(),
  }),
  result: z.object({
    domain: z.string().max(253),
    php: z.string().max(16),
    tier: Tier,
    /** Absent from agents that do not have the setting, as is the next one. */
    database_routines: DatabaseRoutines.optional(),
    xmlrpc: Xmlrpc.optional(),
  }),
})
