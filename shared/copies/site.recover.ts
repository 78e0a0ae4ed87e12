import { z } from 'zod'
import { Id, TrueOrFalse } from '#shared/kernel/fields.ts'
import {
  bulkParams,
  completesWith,
  operationType,
  SAME_DOMAIN,
} from '#shared/kernel/operation-type.ts'
import { Accept } from '#shared/kernel/plan.ts'
import { siteClone } from './site.clone.ts'

const MAX_SITES = 10_000

/** The destination of a site of a lost server. */
export const Recovery = z.strictObject({
  site_id: Id,
  server_id: Id.describe('The server that has the site from then on.'),
  backup_id: Id.optional().describe('Default: the newest backup of the site.'),
})

const params = bulkParams({
  sites: z
    .array(Recovery, 'Must be a list of sites with their servers')
    .min(1, 'Must name a site')
    .max(MAX_SITES, `Must have at most ${MAX_SITES} sites`),
  dns: TrueOrFalse.default(true).describe(
    'Point the records of the DNS accounts that lead to the lost server to the new one, before the certificate is requested.',
  ),
  accept: Accept.optional(),
})

/** The record of the site changes its server at the start: only backups have its content. */
export const siteRecoverType = operationType({
  name: 'Restore site of a lost server',
  title: 'Restore from the lost server',
  target: 'site',
  command: siteClone,
  right: 'admin',
  params,
  confirms: { ...SAME_DOMAIN, 'settings.domain': 'domain' },
  outcome: completesWith(siteClone.result),
  bulk: {
    title: 'Restore from the lost server',
    params,
    words: { sites: null, dns: null, accept: null },
  },
})
