import { z } from 'zod'
import { Hostname, isReserved, NOT_RESERVED, Port } from './fields.ts'
import { secretOf } from './secret.ts'

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

/** Absolute, without `.` and `..`, and safe as an argument of any program. */
const Folder = line('Path').regex(
  /^(\/[\w@+=-][\w.@+=-]*)+$/,
  'Must be an absolute path of letters, digits and . _ @ + = -',
)

/** Folders of the system, of the agent and of sites. */
const TAKEN =
  /^\/((srv|var|home)$|(bin|boot|dev|etc|lib\w*|proc|root|run|sbin|sys|tmp|usr)(\/|$)|srv\/www(\/|$)|var\/(cache|lib|log|mail|run|spool|tmp|www)(\/|$))/

/** Without user and password, which are fields of their own. */
const HttpsUrl = line('Address')
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

const Pem = z.string().max(65_536, 'Must have at most 65536 characters')
/** PEM certificates that the server is trusted by, beside those of the system. */
const Ca = Pem.default('').describe(
  'PEM certificates of a private authority; empty: the public ones.',
)

/** The public key of the server, as a line of known_hosts(5) without the name: `ssh-ed25519 AAAA…`. */
const HostKey = line('Host key').regex(
  /^(ssh-ed25519|ecdsa-sha2-nistp(256|384|521)|ssh-rsa) [A-Za-z0-9+/]+=*$/,
  'Must be a public key such as "ssh-ed25519 AAAA…", as ssh-keyscan prints it',
)

/** The operations that replace the state of a site, and that can be undone. */
export const REPLACEMENTS = [
  'backup.restore',
  'database.import',
  'site.push',
  'site.refresh',
] as const
export type Replacement = (typeof REPLACEMENTS)[number]

/** How often a site is backed up by itself. */
export const BACKUP_INTERVALS = ['off', 'daily', 'weekly'] as const
export type BackupInterval = (typeof BACKUP_INTERVALS)[number]

/** How often the newest backup of a site is proven by itself; monthly: every four weeks. */
export const PROOF_INTERVALS = ['off', 'weekly', 'monthly'] as const
export type ProofInterval = (typeof PROOF_INTERVALS)[number]

const TimeOfDay = z
  .string('Must be a time such as 01:00')
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Must be a time such as 01:00')

/** Minutes from the beginning of a window to its end, which may be on the next day. */
export function windowMinutes({ from, to }: BackupWindow): number {
  return (minuteOf(to) - minuteOf(from) + 1440) % 1440
}

export function minuteOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return 60 * hours + minutes
}

/** An agent runs four operations at once: one place is left for other work. */
export const MOST_PER_SERVER = 3
const PER_SERVER = `Must be between 1 and ${MOST_PER_SERVER}`
/** How many backups run at the same time on a server. */
export const BackupsPerServer = z
  .number(PER_SERVER)
  .int(PER_SERVER)
  .min(1, PER_SERVER)
  .max(MOST_PER_SERVER, PER_SERVER)

/** When backups start by themselves, in UTC. */
export const BackupWindow = z
  .object({ from: TimeOfDay, to: TimeOfDay }, 'Must have the times from and to')
  .refine((window) => windowMinutes(window) >= 60, 'Must be an hour or longer')
export type BackupWindow = { from: string; to: string }

const BACKUP_KINDS = ['rest', 's3', 'sftp', 'local'] as const

/** Where backups are stored, without the secret. */
export const BackupPlace = z.discriminatedUnion(
  'kind',
  [
    z.object({ kind: z.literal('rest'), url: HttpsUrl, user: line('User'), ca: Ca }),
    z.object({
      kind: z.literal('s3'),
      url: HttpsUrl.describe('The endpoint, without the bucket.'),
      bucket: line('Bucket').regex(
        /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
        'Must be the name of a bucket',
      ),
      prefix: line('Prefix').regex(
        /^[\w.-]+(\/[\w.-]+)*$/,
        'Must be a path such as hosting/backups',
      ),
      region: line('Region').default('us-east-1'),
      user: line('Access key'),
      ca: Ca,
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
        (path) => !TAKEN.test(path),
        'Must be a folder for backups alone, such as /mnt/backup',
      ),
    }),
  ],
  { error: `Must have a kind: ${BACKUP_KINDS.join(', ')}` },
)
export type BackupPlace = z.output<typeof BackupPlace>

/**
 * The password (rest), secret key (s3) or private key as PEM (sftp); empty for a local folder.
 */
export const BackupSecret = Pem
/** A target as an agent gets it. */
export const BackupTarget = z.object({ place: BackupPlace, secret: secretOf(BackupSecret) })
export type BackupTarget = z.output<typeof BackupTarget>

/** A folder of a storage that can be a repository, also one of Hosting Control itself. */
export const StorageFolder = z.string().regex(/^[a-z_][a-z0-9_-]{0,31}$/)

/**
 * The name of a repository below its target: the system user of the site, which is never reused. No
 * server is asked for, or reports, a repository of the dashboard.
 */
export const RepositoryName = StorageFolder.refine((name) => !isReserved(name), NOT_RESERVED)

/** A public RSA key: PEM, SubjectPublicKeyInfo. */
export const PublicKey = z
  .string()
  .max(4096)
  .regex(
    /^-----BEGIN PUBLIC KEY-----\n[A-Za-z0-9+/=\n]+-----END PUBLIC KEY-----\n?$/,
    'Must be a public key in PEM',
  )

/** What a key was encrypted to with RSA-OAEP and SHA-256, in base64. */
export const Sealed = z
  .string()
  .max(2048)
  .regex(/^[A-Za-z0-9+/]+=*$/)

/** A snapshot of restic, in full. */
export const SnapshotId = z.string().regex(/^[0-9a-f]{64}$/)
const amount = z.int().nonnegative()

/** One complete backup: its manifest is the last thing that is written. */
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
