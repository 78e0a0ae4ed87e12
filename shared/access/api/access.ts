import { strictObject, z } from 'zod'
import { GivenGrants } from '#shared/access/site.access.ts'
import { ACCESS_KINDS, Expiry, PersonName, SessionId } from '#shared/access/site-access.ts'
import { ClientLabel } from '#shared/access/site-clients.ts'
import { MAX_KEY_TEXT, SSH_KEY_TYPES } from '#shared/access/ssh-keys.ts'
import { body } from '#shared/kernel/api/body.ts'
import { RecordId, Timestamp } from '#shared/kernel/api/parts.ts'
import { TrueOrFalse } from '#shared/kernel/fields.ts'
import { DryRun } from '#shared/kernel/plan.ts'
import { ClientToken } from '#shared/kernel/reported-clients.ts'
import { PersonAccount } from './accounts.ts'

export const CreatePerson = body({ name: PersonName }).meta({ id: 'CreatePerson' })

export const AddKey = body({
  key: z
    .string('Must be a string')
    .max(2 * MAX_KEY_TEXT, `Must have at most ${MAX_KEY_TEXT} characters`)
    .describe('A line as in `id_ed25519.pub`: type, key, and an optional comment. No options.'),
}).meta({ id: 'AddKey' })

const PersonKey = strictObject({
  id: RecordId,
  type: z.enum(SSH_KEY_TYPES),
  fingerprint: z.string(),
  comment: z.string(),
  created_at: Timestamp,
})

const HostKey = strictObject({ type: z.string(), fingerprint: z.string() })

const grant = {
  kind: z.enum(ACCESS_KINDS),
  expires_at: Timestamp.nullable().describe('Null: never.'),
}

export const Person = strictObject({
  id: RecordId,
  name: z.string(),
  created_at: Timestamp,
  account: PersonAccount.nullable().describe('Null: the person cannot log in to this dashboard.'),
  keys: z.array(PersonKey),
  sites: z.array(
    strictObject({
      site_id: RecordId,
      server_id: RecordId,
      domain: z.string(),
      ...grant,
      applied: z
        .boolean()
        .describe('False: the server has other keys of the person than this list.'),
      ending: z
        .boolean()
        .describe(
          'True: the account of the person was deactivated or removed since, and the server has not ended the access yet.',
        ),
    }),
  ),
}).meta({
  id: 'Person',
  description: 'Somebody who may log in to sites with public keys, to this dashboard, or to both.',
})
export type Person = z.infer<typeof Person>

export const SetAccess = body({
  grants: GivenGrants,
  install: TrueOrFalse.default(false).describe(
    'True: openssh-server is installed if it is missing, and with a shell also git, composer and rsync.',
  ),
  dry_run: DryRun,
}).meta({ id: 'SetAccess' })

const ClientRow = strictObject({
  token: z.string(),
  label: z.string(),
  login: z.string().nullable().describe('The name to log in with; null: not on the server as set.'),
  expires_at: Timestamp.nullable().describe('Null: never.'),
  applied: z.boolean().describe('False: somebody has changed the account on the server.'),
})

const install = TrueOrFalse.default(false).describe(
  'True: openssh-server is installed if it is missing.',
)

export const CreateClientAccount = body({
  label: ClientLabel,
  expires_at: Expiry.default(null),
  install,
  dry_run: DryRun,
}).meta({ id: 'CreateClientAccount' })

export const ResetClientPassword = body({
  token: ClientToken,
  expires_at: Expiry.optional().describe('Absent: unchanged.'),
  dry_run: DryRun,
}).meta({ id: 'ResetClientPassword' })

export const EndClientAccount = body({ token: ClientToken, dry_run: DryRun }).meta({
  id: 'EndClientAccount',
})

export const ClientLogin = strictObject({
  token: z.string(),
  label: z.string(),
  login: z.string(),
  password: z.string().describe('Not stored: it is shown in this answer only.'),
  expires_at: Timestamp.nullable(),
  host: z.string(),
  ports: z.array(z.int().positive()),
  host_keys: z.array(HostKey),
}).meta({ id: 'ClientLogin', description: 'How a client logs in.' })
export type ClientLogin = z.infer<typeof ClientLogin>

export const SiteAccess = strictObject({
  grants: z.array(
    strictObject({
      person_id: RecordId,
      name: z.string(),
      ...grant,
      keys: z.int().nonnegative().describe('Of the person; without a key nobody can log in.'),
      applied: z.boolean().describe('False: the server has other keys of the person.'),
      ending: z
        .boolean()
        .describe(
          'True: the access ended with the account of the person, and the server still has it.',
        ),
    }),
  ),
  clients: z.array(ClientRow).describe('Accounts with a password, for SFTP only.'),
  login: strictObject({
    host: z.string(),
    ports: z.array(z.int().positive()),
    user: z.string(),
    shell_user: z
      .string()
      .nullable()
      .describe('The name to log in with for a shell; null: nobody has one.'),
    host_keys: z.array(HostKey),
  })
    .nullable()
    .describe('How to connect; null: the server has not reported it.'),
  logins: z
    .array(
      strictObject({
        at: Timestamp,
        ended_at: Timestamp.nullable().describe('Null: it is open, or was cut off.'),
        address: z.string(),
        fingerprint: z.string(),
        person: z.string().nullable().describe('Who has this key; null: nobody any more.'),
        client: z
          .string()
          .nullable()
          .describe('The client account, or its token if it was removed; null: a key.'),
        kind: z.enum(ACCESS_KINDS).nullable().describe('Null: recorded before there was this.'),
      }),
    )
    .describe('The last ones, newest first, since the last sync.'),
  settings: strictObject({ site_shell: z.boolean(), client_accounts: z.boolean() }).describe(
    'The settings of this dashboard without which no shell, and no account with a password, can be given.',
  ),
}).meta({ id: 'SiteAccess', description: 'Who may log in to a site, and how.' })
export type SiteAccess = z.infer<typeof SiteAccess>

export const SiteSession = strictObject({
  id: SessionId,
  at: Timestamp.describe('The time of the login.'),
  kind: z.enum(ACCESS_KINDS),
  address: z.string(),
  who: z.string().describe('The person and the key, or the client account.'),
}).meta({ id: 'SiteSession', description: 'A session by SFTP or SSH that is open now.' })
export type SiteSession = z.infer<typeof SiteSession>

export const EndSiteSession = body({ id: SessionId }).meta({ id: 'EndSiteSession' })
