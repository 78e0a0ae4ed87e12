import { z } from 'zod'
import { baseOf, canonicalDomain, isHostname, isWildcard } from './names.ts'
import { isSystemAccount } from './system-accounts.ts'
import { TIERS, TLS_MODES } from './values.ts'

/** A time in an answer of an agent. */
export const Moment = z.iso.datetime().max(40)

/** Returns the error of a field that is missing, or that breaks its rule. */
export const required = (label: string, rule = 'Must be a string') => ({
  error: ({ input }: { input?: unknown }) => (input === undefined ? `${label} is required` : rule),
})

/** Returns a schema of a required string, trimmed, and free of control characters. */
function text(label: string) {
  return z
    .string(required(label))
    .trim()
    .refine((value) => !/\p{Cc}/u.test(value), 'Must not contain control characters')
}

/** Returns a schema of a line from another machine for people, without control characters. */
export const singleLine = (max: number) =>
  z
    .string()
    .max(max)
    .refine((value) => !/\p{Cc}/u.test(value))
    .meta({ pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$' })

type StringValues = readonly string[]

/** Returns a schema of a fixed list, whose message names all values. */
export const oneOf = <const T extends StringValues>(values: T) =>
  z.enum(values, `Must be one of ${values.join(', ')}`)

function requiredOneOf<const T extends StringValues>(label: string, values: T) {
  const named = `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`
  return z.enum(values, required(label, `Must be ${named}`))
}

export function wholeNumber(least: number, most: number) {
  const message = `Must be a whole number between ${least} and ${most}`
  return z.number(message).int(message).min(least, message).max(most, message)
}

export const TrueOrFalse = z.boolean('Must be true or false')

const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
/** Matches any text with a non-ASCII character, which may be an internationalised name. */
const NON_ASCII = '.*[^\\u0000-\\u007f].*'
/** The pattern of a domain for generated clients and tools; `canonicalDomain` decides. */
const DOMAIN_PATTERN = `(?:${LABEL}\\.)+${LABEL}\\.?`

/** A domain in canonical A-label form, at most 253 characters, two labels or more (RFC 5891). */
export const Domain = text('Domain')
  .meta({ pattern: `^(?:${DOMAIN_PATTERN}|${NON_ASCII})$` })
  .transform((value, context) => {
    const domain = canonicalDomain(value)
    if (domain !== undefined) return domain
    context.addIssue({ code: 'custom', message: 'Must be a domain name such as example.com' })
    return z.NEVER
  })

/** The maximum length of a domain that fits behind the label of a validation in DNS. */
const MAX_WILDCARD_BASE = 235

const A_DOMAIN = 'Must be a domain name such as example.com'

/** A domain, or all names below one: `*.example.com`. */
export const DomainOrWildcard = text('Domain')
  .meta({ pattern: `^(?:(?:\\*\\.)?${DOMAIN_PATTERN}|${NON_ASCII})$` })
  .transform((value, context) => {
    const base = canonicalDomain(baseOf(value))
    if (base !== undefined && !isWildcard(value)) return base
    if (base !== undefined && base.length <= MAX_WILDCARD_BASE) return `*.${base}`
    const message = value.includes('*')
      ? `${A_DOMAIN}, or a wildcard such as *.example.com`
      : A_DOMAIN
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  })

/** A DNS name or an IP literal, at most 253 characters. */
export const Hostname = text('Hostname')
  .min(1, 'Hostname is required')
  .meta({ maxLength: 253, pattern: `^(?:${LABEL}(?:\\.${LABEL})*|[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*)$` })
  .transform((value) => value.toLowerCase())
  .refine(isHostname, 'Must be a DNS name or an IP address')

export const ServerName = text('Name')
  .min(1, 'Must have 1 to 64 characters')
  .max(64, 'Must have 1 to 64 characters')

export const Port = z
  .number(required('Port', 'Must be a number'))
  .int('Must be a whole number')
  .min(1, 'Must be between 1 and 65535')
  .max(65535, 'Must be between 1 and 65535')

/** The name of a Linux account: at most 32 characters, lower case (stricter than useradd(8)). */
export const SystemUser = text('User').regex(
  /^[a-z_][a-z0-9_-]{0,31}$/,
  'Must start with a lower-case letter or _ and have at most 32 of a-z 0-9 _ -',
)

/**
 * Returns whether a name belongs to Hosting Control: system users, groups, units, accounts of
 * MariaDB and folders of a storage with this beginning are its own.
 */
export const isReserved = (name: string): boolean => /^hosting/i.test(name)

export const NOT_RESERVED = 'Must not begin with hosting: these names belong to Hosting Control'

/** The system user of a site. Its server also refuses those that it knows. */
export const SiteSystemUser = SystemUser.refine((name) => !isReserved(name), NOT_RESERVED).refine(
  (name) => !isSystemAccount(name),
  'Must not be the name of root or of a system account',
)

export const Tag = text('Tag')
  .min(1, 'Each tag must have 1 to 32 characters')
  .max(32, 'Each tag must have 1 to 32 characters')

export const Tags = z
  .array(Tag, {
    error: ({ input }) => (input === undefined ? 'Tags are required' : 'Must be a list of strings'),
  })
  .max(20, 'Must have at most 20 tags')
  .refine((tags) => new Set(tags).size === tags.length, 'Must not have duplicates')

/** A version as `major.minor`, for example 8.3. */
export const PhpVersion = text('PHP version').regex(
  /^[5-9]\.\d$/,
  'Must be a PHP version such as 8.3',
)

export const Tier = requiredOneOf('Tier', TIERS)
export type Tier = z.infer<typeof Tier>

export const TlsMode = requiredOneOf('TLS mode', TLS_MODES)
export type TlsMode = z.infer<typeof TlsMode>

/** An address that SMTP, WordPress and ACME all accept: ASCII, at most 254 characters. */
export const Email = text('E-mail address')
  .max(254, 'Must have at most 254 characters')
  .meta({ format: 'email' })
  .pipe(z.email('Must be an e-mail address'))

/** An identifier in a JSON body. */
export const Id = z
  .number({ error: ({ input }) => (input === undefined ? 'Is required' : 'Must be a number') })
  .int('Must be a whole number')
  .positive('Must be positive')

/** A domain in the report of an agent, which may be one that a request may not name. */
export const ReportedDomain = z
  .string()
  .max(253)
  .meta({ examples: ['shop.example'] })
