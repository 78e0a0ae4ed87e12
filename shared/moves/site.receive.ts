import { z } from 'zod'
import { CopySource } from '#shared/copies/copy-source.ts'
import { command } from '#shared/kernel/command.ts'
import { ReportedDomain, TrueOrFalse } from '#shared/kernel/fields.ts'
import { NEEDS } from '#shared/kernel/needs.ts'
import { completesWith, operationType, SAME_DOMAIN } from '#shared/kernel/operation-type.ts'
import { siteCreate } from '#shared/sites/site.create.ts'
import { Staging } from '#shared/sites/staging.ts'
import { Address } from './moving.ts'

const siteReceive = command({
  name: 'site.receive',
  summary: 'Create the closed copy of a site that moves here, from its backup',
  changes: true,
  needs: () => NEEDS.backups,
  minutes: 24 * 60,
  silent_minutes: 15,
  params: siteCreate.params.extend({
    from: CopySource.refine(({ kind }) => kind === 'backup', 'Must be a backup'),
    peers: z
      .array(Address, 'Must be a list of IP addresses')
      .min(1, 'Must have at least one address')
      .max(16, 'Must have at most 16 addresses')
      .describe('The addresses of the server on which the site is.'),
    database_routines: TrueOrFalse.optional(),
    xmlrpc: TrueOrFalse.optional(),
    staging: Staging.optional().describe('Only of a staging site.'),
  }),
  result: z.object({
    domain: ReportedDomain,
    certificate: z.string().max(65_536).describe('The certificate as PEM; empty without one.'),
    staging: z.literal(true).optional().describe('It is protected as a staging site.'),
  }),
})

/** Part of a move, which the dashboard executes. */
export const siteReceiveType = operationType({
  name: 'Receive site',
  title: 'Receive',
  target: 'site',
  command: siteReceive,
  right: 'operate',
  params: siteReceive.params,
  confirms: SAME_DOMAIN,
  outcome: completesWith(siteReceive.result),
  bulk: null,
})
