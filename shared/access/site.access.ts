import { z } from 'zod'
import { command } from '#shared/kernel/command.ts'
import { Domain, Id, ReportedDomain, TrueOrFalse } from '#shared/kernel/fields.ts'
import {
  bulkParams,
  completesWith,
  operationType,
  SAME_DOMAIN,
} from '#shared/kernel/operation-type.ts'
import { AccessGrants, AccessKind, AccessReport, Expiry, MAX_GRANTS } from './site-access.ts'
import { ClientAccounts } from './site-clients.ts'

const Install = TrueOrFalse.default(false).describe(
  'True: openssh-server is installed if it is missing, and with a shell also git, composer and rsync.',
)

const siteAccess = command({
  name: 'site.access',
  summary: 'Set who may log in to a site by SFTP or SSH',
  changes: true,
  params: z.object({
    domain: Domain,
    grants: AccessGrants,
    clients: ClientAccounts.default([]).describe('Accounts with a password that move files.'),
    install: Install,
  }),
  result: z.object({ domain: ReportedDomain, ...AccessReport }),
})
export const SiteAccessReport = siteAccess.result
export type SiteAccessReport = z.output<typeof SiteAccessReport>

/** The people as a call names them: their keys are recorded. */
export const GivenGrants = z
  .array(
    z.object({
      person_id: Id,
      kind: AccessKind.default('sftp'),
      expires_at: Expiry.default(null),
    }),
    'Must be a list of grants',
  )
  .max(MAX_GRANTS, `Must have at most ${MAX_GRANTS} grants`)
  .refine(
    (grants) => new Set(grants.map(({ person_id }) => person_id)).size === grants.length,
    'Must name each person once',
  )

const clients = ClientAccounts.optional().describe(
  'All accounts with a password; default: the recorded ones.',
)
const end_clients = TrueOrFalse.optional().describe('True: all accounts with a password end.')
const revoke = Id.optional().describe('A person who loses the access.')

export const siteAccessType = operationType({
  name: 'Change access',
  title: 'Change the access to',
  target: 'site',
  command: siteAccess,
  // A call that gives more than somebody has needs `admin`, too.
  right: 'operate',
  retry_right: 'admin',
  params: z.object({
    grants: GivenGrants.optional().describe('All people; default: the recorded ones.'),
    revoke,
    clients,
    end_clients,
    install: Install,
  }),
  confirms: SAME_DOMAIN,
  outcome: completesWith(siteAccess.result),
  bulk: {
    title: 'Update access to',
    params: bulkParams({ revoke, end_clients }),
    words: { revoke: 'Person', end_clients: 'Remove client accounts' },
  },
})
