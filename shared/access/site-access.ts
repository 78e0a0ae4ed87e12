import { z } from 'zod'
import { Id, oneOf } from '#shared/kernel/fields.ts'
import { ClientToken, ReportedClients } from '#shared/kernel/reported-clients.ts'
import { readSshKey } from './ssh-keys.ts'

export const ACCESS_KINDS = ['sftp', 'shell'] as const
export const AccessKind = oneOf(ACCESS_KINDS).describe(
  'sftp: the files of the site, and no programs; shell: also programs in the sandbox of the site.',
)
export type AccessKind = z.infer<typeof AccessKind>

export const MAX_GRANTS = 50
export const MAX_KEYS = 10

/** A free text, such as a name and a company. */
export const PersonName = z
  .string('Must be a string')
  .trim()
  .min(1, 'Must have 1 to 64 characters')
  .max(64, 'Must have 1 to 64 characters')
  .refine((text) => !/\p{C}/u.test(text), 'Must not contain control characters')

const EXPIRY = 'Must be a time in UTC such as 2027-01-31T18:00:00Z'
export const Expiry = z.iso
  .datetime({ error: EXPIRY })
  .max(30, EXPIRY)
  .nullable()
  .describe('From then on no login succeeds, and its sessions end; null: never.')

/** A public key: type and key, without options and without a comment. */
const Key = z.string('Must be a string').refine((text) => {
  const key = readSshKey(text)
  return typeof key !== 'string' && text === `${key.type} ${key.blob}`
}, 'Must be a public key: its type and its text')

const unique = (values: readonly unknown[]) => new Set(values).size === values.length

/** The access of one person to one site, as its agent needs it. */
export const AccessGrant = z.object({
  id: Id.describe('Of the person at the dashboard.'),
  person: PersonName,
  kind: AccessKind,
  expires_at: Expiry,
  keys: z
    .array(Key, 'Must be a list of public keys')
    .max(MAX_KEYS, `Must have at most ${MAX_KEYS} keys`),
})
export type AccessGrant = z.infer<typeof AccessGrant>

/** Returns whether the grant gives no more than an earlier one of the same person. */
export const isWithin = (grant: AccessGrant, former: AccessGrant): boolean =>
  grant.id === former.id &&
  (grant.kind === 'sftp' || former.kind === 'shell') &&
  endOf(grant) <= endOf(former) &&
  grant.keys.every((key) => former.keys.includes(key))

/** Returns the end in milliseconds. */
export const endOf = ({ expires_at }: Pick<AccessGrant, 'expires_at'>): number =>
  expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at)

export const AccessGrants = z
  .array(AccessGrant, 'Must be a list of grants')
  .max(MAX_GRANTS, `Must have at most ${MAX_GRANTS} grants`)
  .refine((grants) => unique(grants.map(({ id }) => id)), 'Must name each person once')
  .refine(
    (grants) => unique(grants.flatMap(({ keys }) => keys)),
    'Must not give one key to two people',
  )

/** A fingerprint as ssh-keygen(1) prints it: `SHA256:` and base64. */
const Fingerprint = z.string().max(80)

/** The name of an account. Commands to copy have it: it must mean nothing to a shell. */
const Account = z.string().regex(/^[a-z_][a-z0-9_.-]{0,31}$/)

/** The agent's report of where and how to connect, and who may. */
export const AccessReport = {
  user: Account.describe('The name to log in with.'),
  shell_user: Account.nullable()
    .default(null)
    .describe('The name to log in with for a shell; null: nobody has one.'),
  ports: z.array(z.int().positive()).max(20).describe('Of the SSH server.'),
  host_keys: z
    .array(z.object({ type: z.string().max(64), fingerprint: Fingerprint }))
    .max(20)
    .describe('Of the server: what a client shows at its first connection.'),
  grants: z
    .array(
      z.object({
        id: z.int().positive(),
        kind: z.enum(ACCESS_KINDS),
        expires_at: z.string().max(30).nullable(),
        fingerprints: z.array(Fingerprint).max(MAX_KEYS),
      }),
    )
    .max(MAX_GRANTS),
  clients: ReportedClients.default([]).describe('The accounts with a password that are as set.'),
}

/** The maximum number of logins, and of refusals, in one answer of an agent. */
export const MAX_LOGINS = 500

/** The number of an entry in the list of an agent; null from an agent that does not count. */
const seq = z.int().positive().nullable().default(null)

/** A session that the SSH server of a site's server has accepted. */
export const SiteLogin = z.object({
  domain: z.string().min(1).max(253),
  at: z.iso.datetime(),
  /** The time at which the session ended; null when it is open or was cut off without a message. */
  ended_at: z.iso.datetime().nullable().default(null),
  address: z.union([z.ipv4(), z.ipv6()]),
  /** The fingerprint of the key; empty for a password. */
  fingerprint: Fingerprint,
  /** The token of the client account that logged in; null when a key was used. */
  client: ClientToken.nullable().default(null),
  kind: z.enum(ACCESS_KINDS),
  seq,
})
export type SiteLogin = z.infer<typeof SiteLogin>

/** The refused attempts to log in to a site within one hour. */
export const LoginRefusal = z.object({
  domain: z.string().min(1).max(253),
  /** The beginning of the hour, in UTC. */
  at: z.iso.datetime(),
  /** The address of the client; null for all that have no entry of their own. */
  address: z.union([z.ipv4(), z.ipv6()]).nullable(),
  attempts: z.int().positive(),
  seq,
})
export type LoginRefusal = z.infer<typeof LoginRefusal>

/** The list from which an agent reports: `newest` counts all its entries, also those it lost since. */
export const LoginList = z.object({
  /** Names the list: another one begins when its file was lost. */
  id: z.string().min(1).max(64),
  newest: z.int().nonnegative(),
})
export type LoginList = z.infer<typeof LoginList>

/** Names an open session: the number of its process, and the time of its login in microseconds. */
export const SessionId = z
  .string('Must be a string')
  .regex(/^\d{1,10}-\d{1,16}$/, 'Must be the id of a session')

/** A session that is open now. */
export const OpenSession = SiteLogin.pick({
  at: true,
  address: true,
  fingerprint: true,
  client: true,
  kind: true,
}).extend({ id: SessionId })
export type OpenSession = z.infer<typeof OpenSession>

/** Who can log in to a site, in the answer of an agent. */
export const ReportedAccess = z.object({
  domain: z.string().min(1).max(253),
  grants: AccessReport.grants,
  clients: AccessReport.clients,
})
export type ReportedAccess = z.infer<typeof ReportedAccess>
