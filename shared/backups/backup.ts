import { z } from 'zod'
import { Hostname, isReserved, NOT_RESERVED, Port } from '#shared/kernel/fields.ts'
import { Secret } from '#shared/kernel/secret.ts'
import {
  BACKUP_KINDS,
  BackupSecret,
  Certificates,
  PasswordId,
  refuseSecret,
  SentPassword,
} from './backup-secret.ts'

const LONG = 'Must have at most 1024 characters'

/** One line of printable text. */
const line = (label: string) =>
  z
    .string({
      error: ({ input }) => (input === undefined ? `${label} is required` : 'Must be a string'),
    })
    .trim()
    .min(1, `${label} is required`)
    .max(1024, LONG)
    .refine((text) => !/\p{Cc}/u.test(text), 'Must not contain control characters')

/** An absolute path without `.` and `..` that is safe as an argument of any program. */
const Folder = line('Path').regex(
  /^(\/[\w@+=-][\w.@+=-]*)+$/,
  'Must be an absolute path of letters, digits and . _ @ + = -',
)

/** Matches folders of the system, of the agent and of sites. */
const RESERVED_FOLDERS =
  /^\/((srv|var|home)$|(bin|boot|dev|etc|lib\w*|proc|root|run|sbin|sys|tmp|usr)(\/|$)|srv\/www(\/|$)|var\/(cache|lib|log|mail|run|spool|tmp|www)(\/|$))/

/** Matches the characters of RFC 3986, without blanks, quotes and backslashes. */
const URL_CHARACTERS = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+$/

/** An address without user and password, which are fields of their own. */
const HttpsUrl = line('Address')
  .refine(
    (text) => URL_CHARACTERS.test(text),
    'Must be an address of letters, digits and . - _ ~ : / @ % such as https://backup.example:8000/',
  )
  .refine((text) => {
    const url = URL.parse(text)
    return (
      url !== null &&
      /^https?:$/.test(url.protocol) &&
      url.username === '' &&
      url.search === '' &&
      url.hash === ''
    )
  }, 'Must be an address such as https://backup.example:8000/ without user and password')
  .refine((text) => URL.parse(text)?.protocol === 'https:', 'Must begin with https://')

/** The public key of the server, as a line of known_hosts(5) without the name: `ssh-ed25519 AAAA…`. */
const HostKey = line('Host key').regex(
  /^(ssh-ed25519|ecdsa-sha2-nistp(256|384|521)|ssh-rsa) [A-Za-z0-9+/]+=*$/,
  'Must be a public key such as "ssh-ed25519 AAAA…", as ssh-keyscan prints it',
)

/** A user without a colon, with which HTTP separates user and password (RFC 7617). */
const RestUser = line('User').regex(
  /^[\x21-\x39\x3b-\x7e]{1,256}$/,
  'Must have at most 256 printable ASCII characters, without blanks and colons',
)

export const AccessKey = line('Access key').regex(
  /^[\w.@:/+=-]{1,128}$/,
  'Must have at most 128 of the characters a-z A-Z 0-9 _ . @ : / + = -',
)

export const Region = line('Region').regex(
  /^[A-Za-z0-9][\w.-]{0,63}$/,
  'Must be the name of a region such as us-east-1',
)

/** The place of backups, without the secret. */
export const BackupPlace = z.discriminatedUnion(
  'kind',
  [
    z.object({ kind: z.literal('rest'), url: HttpsUrl, user: RestUser, ca: Certificates }),
    z.object({
      kind: z.literal('s3'),
      url: HttpsUrl.describe('The endpoint, without the bucket.'),
      bucket: line('Bucket').regex(
        /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
        'Must be the name of a bucket',
      ),
      prefix: line('Prefix').regex(
        /^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/,
        'Must be a path such as hosting/backups',
      ),
      region: Region.default('us-east-1'),
      user: AccessKey,
      ca: Certificates,
    }),
    z.object({
      kind: z.literal('sftp'),
      host: Hostname,
      port: Port.default(22),
      user: line('User').regex(/^[\w.-]+$/, 'Must be the name of an account'),
      path: Folder,
      host_key: HostKey,
    }),
    z.object({
      kind: z.literal('local'),
      path: Folder.refine(
        (path) => !RESERVED_FOLDERS.test(path),
        'Must be a folder for backups alone, such as /mnt/backup',
      ),
    }),
  ],
  { error: `Must have a kind: ${BACKUP_KINDS.join(', ')}` },
)
export type BackupPlace = z.output<typeof BackupPlace>

/** A target for an agent; in a plan its secret is empty. */
export const BackupTarget = z
  .object({ place: BackupPlace, secret: BackupSecret })
  .superRefine(refuseSecret)
  .transform(({ place, secret }) => ({ place, secret: new Secret(secret) }))
export type BackupTarget = z.output<typeof BackupTarget>

/** The name of a folder of a storage that can be a repository, also one of this program. */
export const StorageFolder = z.string().regex(/^[a-z_][a-z0-9_-]{0,31}$/)

/**
 * The name of a repository below its target: the system user of its site, with a number from the
 * second repository of the site on. No name is used again. No server is asked for, or reports, a
 * repository of the dashboard.
 */
export const RepositoryName = StorageFolder.refine((name) => !isReserved(name), NOT_RESERVED)

/** A repository that has a password, as an agent opens it. */
export const KnownRepository = z.object({
  target: BackupTarget,
  repository: RepositoryName,
  password_id: PasswordId,
  password: SentPassword,
})
export type KnownRepository = z.output<typeof KnownRepository>

/** A public RSA key: PEM, SubjectPublicKeyInfo. */
export const PublicKey = z
  .string()
  .max(4096)
  .regex(
    /^-----BEGIN PUBLIC KEY-----\n[A-Za-z0-9+/=\n]+-----END PUBLIC KEY-----\n?$/,
    'Must be a public key in PEM',
  )

/** A text that was encrypted to a key with RSA-OAEP and SHA-256, in base64. */
export const SealedText = z
  .string()
  .max(2048)
  .regex(/^[A-Za-z0-9+/]+=*$/)

/** The full id of a snapshot of restic. */
export const SnapshotId = z.string().regex(/^[0-9a-f]{64}$/)
const amount = z.int().nonnegative()

/** A complete backup, whose manifest is written last. */
export const BackupReport = z.object({
  id: SnapshotId.describe('Of the manifest.'),
  repository: RepositoryName,
  at: z.iso.datetime(),
  files: amount,
  bytes: amount.describe('The files and the dump, uncompressed.'),
  stored: amount.describe('What was added to the repository.'),
  tables: amount,
  seconds: z.number().nonnegative(),
})
export type BackupReport = z.infer<typeof BackupReport>
