import { z } from 'zod'
import { HIDDEN, secretOf } from '#shared/kernel/secret.ts'

export const BACKUP_KINDS = ['rest', 's3', 'sftp', 'local'] as const
type BackupKind = (typeof BACKUP_KINDS)[number]

const MAX_PEM = 65_536
const LONG_PEM = `Must have at most ${MAX_PEM} characters`
const BASE64_LINES = '(?:[A-Za-z0-9+/]+={0,2}\\n)+'
const CERTIFICATE = `-----BEGIN CERTIFICATE-----\\n${BASE64_LINES}-----END CERTIFICATE-----\\n`
const CERTIFICATES = new RegExp(`^(?:${CERTIFICATE})*$`)

/** Normalises line ends of other systems; programs that read the text need a last one. */
const pemText = (text: string) => {
  const trimmed = text.replaceAll('\r\n', '\n').trim()
  return trimmed === '' ? '' : `${trimmed}\n`
}

/** The PEM certificates, beside those of the system, by which a server is trusted. */
export const Certificates = z
  .string()
  .max(MAX_PEM, LONG_PEM)
  .overwrite(pemText)
  .regex(
    CERTIFICATES,
    'Must be certificates in PEM and nothing else: from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----',
  )
  .default('')
  .describe('PEM certificates of a private authority; empty: the public ones.')

const PRIVATE_KEY = new RegExp(
  `^-----BEGIN ((?:OPENSSH |RSA |EC )?PRIVATE KEY)-----\\n${BASE64_LINES}-----END \\1-----\\n$`,
)

/** The form of a secret by the kind of the place: only a private key has lines. */
const SECRET_RULES: Record<BackupKind, { shape: RegExp; rule: string }> = {
  rest: {
    shape: /^[\x21-\x7e](?:[\x20-\x7e]{0,254}[\x21-\x7e])?$/,
    rule: 'Must be one line of at most 256 printable ASCII characters without blanks around them',
  },
  s3: {
    shape: /^(?:%(?!\()|[\x21-\x24\x26-\x7e]){1,256}$/,
    rule: 'Must be one line of at most 256 printable ASCII characters without blanks and without %(',
  },
  sftp: {
    shape: PRIVATE_KEY,
    rule: 'Must be a private SSH key without a passphrase and nothing else: from -----BEGIN OPENSSH PRIVATE KEY----- to -----END OPENSSH PRIVATE KEY-----',
  },
  local: { shape: /^$/, rule: 'Must be empty: a local folder has no secret' },
}

/**
 * Returns the rule that a secret breaks in a place of this kind. An empty one breaks none, and
 * neither does that of a recorded request: an agent that was killed reads it to undo its work.
 */
export function secretMistake(kind: BackupKind, secret: string): string | undefined {
  const { shape, rule } = SECRET_RULES[kind]
  return ['', HIDDEN].includes(secret) || shape.test(secret) ? undefined : rule
}

/** Refuses on `secret` what the kind of place does not have; nothing is known without a place. */
export function refuseSecret(
  { place, secret }: { place?: { kind: BackupKind } | undefined; secret?: string | undefined },
  context: z.RefinementCtx,
): void {
  const message = place && secretMistake(place.kind, secret ?? '')
  if (message !== undefined) context.addIssue({ code: 'custom', path: ['secret'], message })
}

/**
 * The password (rest), secret key (s3) or private key (sftp) of a place, which `refuseSecret` checks
 * with its kind; empty for a local folder. A key may have the line ends of other systems.
 */
export const BackupSecret = z
  .string()
  .max(MAX_PEM, LONG_PEM)
  .overwrite((text) => (text.startsWith('-----BEGIN ') ? pemText(text) : text))
  .describe(
    'The password (rest) or secret key (s3): one line of printable ASCII. Or a private SSH key without a passphrase (sftp), in PEM; empty for a local folder.',
  )

/** A secret key of S3. */
export const SecretKey = z.string().regex(SECRET_RULES.s3.shape, SECRET_RULES.s3.rule)

const PASSWORD = '[\\x21-\\x7e](?:[\\x20-\\x7e]{0,1022}[\\x21-\\x7e])?'
const PASSWORD_RULE =
  'Must be one line of at most 1024 printable ASCII characters without blanks around them'

/** The password of a repository: restic reads it from a file, without the blanks around it. */
export const RepositoryPassword = secretOf(
  z.string().regex(new RegExp(`^${PASSWORD}$`), PASSWORD_RULE),
)

/** The password of a repository in a request after the answer `password_missing`; else empty. */
export const SentPassword = secretOf(
  z.string().regex(new RegExp(`^(?:${PASSWORD})?$`), PASSWORD_RULE),
).prefault('')

/** The SHA-256 of the password of a repository, by which a server finds its own copy. */
export const PasswordId = z.string().regex(/^[0-9a-f]{64}$/, 'Must be a SHA-256')
