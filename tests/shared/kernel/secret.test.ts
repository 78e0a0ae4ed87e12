import { describe, expect, test } from 'bun:test'
import { format, inspect } from 'node:util'
import type { z } from 'zod'
import { ServerSetting } from '#agent/features/mail/setting.ts'
import { readConfig as readAgentConfig } from '#agent/kernel/config.ts'
import { databaseOf, readConfig } from '#dashboard/config.ts'
import { RepositoryPassword } from '#shared/backups/backup-secret.ts'
import { DatabasePasswordHash } from '#shared/database/database-user.ts'
import { CreateDnsAccount, UpdateDnsAccount } from '#shared/domains/api/dns.ts'
import { Login } from '#shared/kernel/api/auth.ts'
import { fieldsOf } from '#shared/kernel/errors.ts'
import { Email } from '#shared/kernel/fields.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { SetMail } from '#shared/mail/api/mail.ts'
import { mailApplyType } from '#shared/mail/mail.apply.ts'
import { ConfigureSite } from '#shared/sites/api/site-settings.ts'
import { Staging, StagingPasswordHash } from '#shared/sites/staging.ts'
import { brokenLines, speakingLines } from '#tests/support/hostile-values.ts'

const secret = new Secret('hunter2hunter2')

test.each([
  ['as text', `${secret}`],
  ['added to text', `password: ${String(secret)}`],
  ['in a list', [secret, secret].join()],
  ['as JSON', JSON.stringify({ secret, deep: [{ secret }] })],
  ['inspected', inspect({ secret, deep: { list: [secret] } }, { depth: 9, showHidden: true })],
  ['inspected by Bun', Bun.inspect({ secret })],
  ['formatted', format('%s %o %j', secret, secret, { secret })],
  ['copied', JSON.stringify({ ...secret, ...Object.assign({}, { secret }) })],
  ['in an error', inspect(new Error('broken', { cause: { secret } }))],
  ['listed', Object.entries(secret).join() + Reflect.ownKeys(secret).join()],
])('a secret is not visible %s', (_, shown) => {
  expect(shown).not.toContain('hunter2')
})

test('a secret prints as three stars, and returns its value on request', () => {
  expect([String(secret), JSON.stringify(secret), inspect(secret)]).toEqual(['***', '"***"', '***'])
  expect(secret.reveal()).toBe('hunter2hunter2')
})

test('a password in a request is a secret after parsing', () => {
  const { password } = Login.parse({ email: 'a@b.example', password: 'hunter2' })

  expect([`${password}`, password.reveal()]).toEqual(['***', 'hunter2'])
})

test('an invalid password is not repeated in the answer', () => {
  const { error } = Login.safeParse({ email: 'a@b.example', password: 'x'.repeat(1025) })

  expect(fieldsOf(error?.issues ?? [])).toEqual({
    password: ['Must have at most 1024 characters'],
  })
})

const RELAY = { host: 'smtp.example', port: 587, tls: 'starttls', user: 'agency', password: 'x' }
const RULES = { enabled: true, from_address: null, rewrite_from: null, hourly_limit: null }
const TOKEN = 'a-token-of-forty-characters-a-token-of-f'
const STAGING = { of: 'a.example', user: 'visitor', password_hash: `{SSHA}${'a'.repeat(40)}` }
const SCRIPTS = ['ä', '密码', '💩', 'a b', ' a', 'a\u00a0b']
const PRINTABLE = /^(?:[\x20-\x7e]|[ä密码💩\u00a0])*$/u
const VALUES = [...brokenLines, ...speakingLines, ...SCRIPTS]

interface Kind {
  schema: z.ZodType
  /** The input, of which this part is the value. */
  input(value: string): unknown
  field: string
  /** Stands before each value that has to be long enough. */
  start?: string
  /** What a value may be; all others are refused. */
  accepts: RegExp
}

const relayKind = (schema: z.ZodType, field: 'user' | 'password'): Kind => ({
  schema,
  input: (value) => ({ ...RULES, relay: { ...RELAY, [field]: value } }),
  field: `relay.${field}`,
  accepts: PRINTABLE,
})
const alone = (schema: z.ZodType, accepts: RegExp, start = ''): Kind => ({
  schema,
  input: (value) => value,
  field: 'body',
  start,
  accepts,
})
const dnsKind = (schema: z.ZodType): Kind => ({
  schema,
  input: (token) => ({ name: 'Cloudflare', token }),
  field: 'token',
  start: TOKEN,
  accepts: /^[\w-]+$/,
})

const KINDS: Readonly<Record<string, Kind>> = {
  'user of a relay, from a browser': relayKind(SetMail, 'user'),
  'password of a relay, from a browser': relayKind(SetMail, 'password'),
  'user of a relay, for the agent': relayKind(mailApplyType.command.params, 'user'),
  'password of a relay, for the agent': relayKind(mailApplyType.command.params, 'password'),
  'user of a relay, for the queue': relayKind(ServerSetting, 'user'),
  'password of a relay, for the queue': relayKind(ServerSetting, 'password'),
  'token of a new DNS account': dnsKind(CreateDnsAccount),
  'token of a changed DNS account': dnsKind(UpdateDnsAccount),
  'password of a repository': alone(RepositoryPassword, /^[!-~](?:[ -~]*[!-~])?$/),
  'name of a visitor, from a browser': {
    schema: ConfigureSite,
    input: (user) => ({ basic_auth: { user } }),
    field: 'basic_auth',
    accepts: /^[\w.@-]+$/,
  },
  'name of a visitor, for the agent': {
    schema: Staging,
    input: (user) => ({ ...STAGING, user }),
    field: 'user',
    accepts: /^[\w.@-]+$/,
  },
  'hash of the password of a visitor': alone(
    StagingPasswordHash,
    /^[\w/]*={0,2}$/,
    STAGING.password_hash,
  ),
  'hash of the password of a database user': alone(
    DatabasePasswordHash,
    /^$/,
    `*${'A'.repeat(40)}`,
  ),
}

/** The texts of a result, with those of its secrets. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (value instanceof Secret) return [value.reveal()]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

describe.each(Object.entries(KINDS))('%s', (_, { schema, input, field, start = '', accepts }) => {
  const outcomeOf = (value: string) => {
    const { data, error } = schema.safeParse(input(value))
    return error ? fieldsOf(error.issues) : textsIn(data).filter((text) => text === value)
  }
  const REFUSED = { [field]: [expect.any(String)] }

  test('is carried as it stands, or refused', () => {
    for (const value of VALUES) {
      const sent = start + value
      const expected = accepts.test(value) ? [sent] : REFUSED
      expect([sent, outcomeOf(sent)]).toEqual([sent, expected])
    }
  })
})

test('an e-mail address, also that of an account of ACME, is one word of ASCII', () => {
  for (const line of brokenLines) {
    expect(Email.safeParse(`ann@${line}.example`).success).toBe(false)
    expect(Email.safeParse(`${line}@a.example`).data ?? 'secret@a.example').toBe('secret@a.example')
  }
  for (const sign of ['"', '#', ';', ',', '<', '>', '(', '\\', ' ', ':']) {
    expect([sign, Email.safeParse(`a${sign}b@a.example`).success]).toEqual([sign, false])
  }
})

const AGENT_ADDRESSES = [
  'AGENT_WORDPRESS_URL',
  'AGENT_WORDPRESS_CHECKSUMS_URL',
  'AGENT_WP_CLI_URL',
  'AGENT_PHP_SOURCE',
  'AGENT_PHP_SOURCE_KEY',
  'AGENT_ACME_DIRECTORY',
  'AGENT_CLOUDFLARE_API',
  'AGENT_RESTIC_URL',
]
const AGENT_PATHS = [
  'AGENT_STATE_DIR',
  'AGENT_POLICY_FILE',
  'AGENT_RUN_DIR',
  'AGENT_MAIL_DIR',
  'AGENT_ACME_CA_FILE',
  'AGENT_DNS_HOOK',
  'AGENT_CLOUDFLARE_TOKEN_FILE',
  'AGENT_CDN_NETWORKS_FILE',
]
const RESTIC = { AGENT_RESTIC_URL: 'https://a.example', AGENT_RESTIC_SHA256: 'a'.repeat(64) }
const refusalOf = (read: () => unknown) => {
  try {
    read()
    return 'accepted'
  } catch (error) {
    return error instanceof Error ? error.message : error
  }
}

describe('the environment', () => {
  test.each([
    ...AGENT_ADDRESSES.map((name) => [name, 'https://mirror.example/'] as const),
    ...AGENT_PATHS.map((name) => [name, '/srv/'] as const),
  ])('of an agent: %s is one line of ASCII', (name, start) => {
    expect(() => readAgentConfig({ ...RESTIC, [name]: `${start}a-b_c` })).not.toThrow()
    for (const line of brokenLines) {
      const refusal = refusalOf(() => readAgentConfig({ ...RESTIC, [name]: start + line }))
      expect([line, refusal]).toEqual([
        line,
        expect.stringMatching(new RegExp(`^${name} must be `)),
      ])
    }
  })

  test.each([
    ['SMTP_URL', 'smtp://a:b@relay.example/'],
    ['DATABASE_URL', 'https://records.example/'],
    ['PUBLIC_URL', 'https://control.example/'],
    ['DATABASE_AUTH_TOKEN', ''],
  ])('of the dashboard: %s is one line of ASCII', (name, start) => {
    for (const line of brokenLines) {
      const refusal = refusalOf(() => readConfig({ [name]: start + line }))
      expect([line, refusal]).toEqual([
        line,
        expect.stringMatching(new RegExp(`^${name}: must be `)),
      ])
    }
  })

  test('has a token of printable ASCII, which is not changed', () => {
    for (const DATABASE_AUTH_TOKEN of speakingLines) {
      expect(databaseOf(readConfig({ DATABASE_AUTH_TOKEN })).token).toBe(DATABASE_AUTH_TOKEN)
    }
  })
})
