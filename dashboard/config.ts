import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { readSmtpUrl } from '#dashboard/features/alerts/smtp-url.ts'
import { codeOf } from '#dashboard/kernel/runtime/error-code.ts'
import { Email } from '#shared/kernel/fields.ts'

const PORT_RULE = 'must be a port number between 0 and 65535'
const DAYS_RULE = 'must be a number of days between 1 and 365'
/** `URL` itself skips line breaks, and encodes other characters. */
const ASCII = /^[\x21-\x7e]*$/
const url = (protocols: string, hint: string) =>
  z
    .string()
    .refine((value) => ASCII.test(value) && isUrl(value, protocols.split(' ')), `must be ${hint}`)
const A_TOKEN = 'must be printable ASCII without blanks'

/** The environment; .github/docs/operating.md explains it. PORT 0 takes a free port. */
const Environment = z.object({
  HOST: z.string().min(1, 'must not be empty').default('127.0.0.1'),
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, PORT_RULE)
    .transform(Number)
    .refine((value) => value <= 65535, PORT_RULE)
    .default(3000),
  DATA_DIR: z.string().min(1, 'must not be empty').default('./data'),
  DATABASE_URL: url(
    'file: http: https: libsql:',
    'a file:, http(s):// or libsql:// URL',
  ).optional(),
  DATABASE_AUTH_TOKEN: z.string().regex(ASCII, A_TOKEN).optional(),
  DATABASE_AUTH_TOKEN_FILE: z.string().optional(),
  ADMIN_EMAIL: Email.optional(),
  ADMIN_PASSWORD: z.string().max(1024, 'must have at most 1024 characters').optional(),
  PRIVATE_ADDRESSES: z
    .enum(['allow', 'refuse'], { error: 'must be allow or refuse' })
    .default('refuse'),
  BACKUPS_KEPT: z
    .string()
    .regex(/^\d{1,3}$/, 'must be a number between 0 and 999')
    .transform(Number)
    .default(7),
  BACKUPS_OFF_SITE: z.enum(['on', 'off'], { error: 'must be on or off' }).default('on'),
  BACKUPS_STALL: z
    .string()
    .regex(/^[1-9]\d{0,4}$/, 'must be a number of seconds between 1 and 99999')
    .transform(Number)
    .default(1500),
  BUILDS_DIR: z.string().min(1, 'must not be empty').optional(),
  WEB_DIR: z.string().min(1, 'must not be empty').optional(),
  PUBLIC_URL: url('http: https:', 'an http:// or https:// URL').optional(),
  JWT_SECRET: z.string().min(32, 'must have at least 32 characters').optional(),
  SMTP_URL: z
    .string()
    .refine(
      (value) => ASCII.test(value) && readSmtpUrl(value),
      'must be smtp:// or smtps:// with a host, and optionally user, password, port and ?tls=none',
    )
    .optional(),
  MAIL_FROM: Email.optional(),
  TRASH_DAYS: z
    .string()
    .regex(/^[1-9]\d{0,2}$/, DAYS_RULE)
    .transform(Number)
    .refine((value) => value <= 365, DAYS_RULE)
    .default(14),
  NODE_ENV: z.string().optional(),
  JOURNAL_STREAM: z.string().optional(),
})

export type Config = z.output<typeof Environment> & { production: boolean }

/** An invalid value: one readable line. */
export class ConfigError extends Error {}

/** An empty variable counts as unset. Throws ConfigError naming the variable, never its value. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const set = Object.entries(environment).filter(([, value]) => value !== undefined && value !== '')
  const result = Environment.safeParse(Object.fromEntries(set))
  if (result.success) return { ...result.data, production: result.data.NODE_ENV === 'production' }
  const [issue] = result.error.issues
  throw new ConfigError(`${issue?.path.join('.')}: ${issue?.message}`)
}

/** The address of the database: a file in DATA_DIR unless DATABASE_URL is set. */
export function databaseOf({ DATA_DIR, DATABASE_URL, ...config }: Config) {
  const { DATABASE_AUTH_TOKEN: token, DATABASE_AUTH_TOKEN_FILE: file } = config
  return {
    url: DATABASE_URL ?? `file:${DATA_DIR}/dashboard.db`,
    token: file === undefined ? token : tokenOf(file),
  }
}

function tokenOf(file: string): string {
  const token = fileText(file).trim()
  if (!ASCII.test(token)) throw new ConfigError(`DATABASE_AUTH_TOKEN_FILE: ${file} ${A_TOKEN}`)
  return token
}

function fileText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const why = codeOf(error) || 'unknown error'
    throw new ConfigError(`DATABASE_AUTH_TOKEN_FILE: ${file} cannot be read (${why})`)
  }
}

export function smtpOf({ SMTP_URL, MAIL_FROM, PUBLIC_URL }: Config) {
  const server = SMTP_URL === undefined ? undefined : readSmtpUrl(SMTP_URL)
  if (!server) return undefined
  const user = Email.safeParse(server.login?.user).data
  const domain = PUBLIC_URL === undefined ? 'localhost' : new URL(PUBLIC_URL).hostname
  return { server, from: MAIL_FROM ?? user ?? `hosting-control@${domain}` }
}

export const readEnvironment = (): Config => readConfig(process.env)

function isUrl(value: string, protocols: readonly string[]): boolean {
  return URL.canParse(value) && protocols.includes(new URL(value).protocol)
}
