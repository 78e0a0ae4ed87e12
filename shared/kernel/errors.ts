/** The error table: one name, one status, one text. */
export const ERRORS = {
  bad_request: { status: 400, error: 'Bad request' },
  unauthorized: { status: 401, error: 'Unauthorized' },
  forbidden: { status: 403, error: 'Forbidden' },
  not_found: { status: 404, error: 'Not found' },
  conflict: { status: 409, error: 'Conflict' },
  too_large: { status: 413, error: 'Payload too large' },
  unsupported_media: { status: 415, error: 'Unsupported media type' },
  invalid: { status: 422, error: 'Validation failed' },
  too_many: { status: 429, error: 'Too many requests' },
  internal: { status: 500, error: 'Internal error' },
  offline: { status: 503, error: 'Agent offline' },
} as const

/**
 * The code of a refusal or failure for programs, beside the texts of its body. `not_undone` steps
 * stay on the server; `tables_changed`: a push would lose changes of the live site;
 * `backup_needed`: the live site has no recent backup; `backup_failed`: nothing was changed, because the
 * backup before the change failed; `changed_meanwhile`: somebody else was faster;
 * `result_unknown`: the agent may have done the work, and did not answer until the deadline;
 * `target_unreachable`: a target of backups did not answer the server;
 * `password_missing`: the server does not have the password of a repository;
 * `repository_incomplete`: the creation of a repository was interrupted;
 * `no_backups`: a repository has no complete backup, or no longer;
 * `confirmation_needed`: the password of the user, with `POST /api/auth/confirm`;
 * `second_factor_needed`: the password was right, and the account also needs a code;
 * `second_factor_wrong`: that code was wrong, or was used before; `passkey_needed`: the password was
 * right, and the account also needs a passkey; `passkeys_off`: the dashboard has no public address with
 * which passkeys work; `second_factor_missing`: the account needs a second factor, and has none;
 * `second_factor_required`: it is the last one of an account that needs one; `multisite`: a network of
 * sites; `certificate_refused`: a change needs a certificate, and the authority refused it;
 * `address_fixed`: wp-config.php or a program decides the address of a WordPress;
 * `disk_full`: a disk of the server, or the quota of the site, has no space left; `foreign_address`:
 * the server returned an address for a login that is not one of the site; `result_mismatch`: the
 * agent has answered for something else than it was asked for; `database_failed`: MariaDB does not start
 * on the server; `no_answer`: a new site did not answer in time; `packages_failed`: apt could not read
 * its sources, or install, on the server;
 * `wordpress_fatal`: an error of PHP ends the WordPress of the site, which stays until a plugin, a theme or
 * a file is corrected; `wordpress_failed`: it failed in another way; `upgrade_needed`: the agent of the
 * server has another protocol than the dashboard; `policy_broken`: rules of the access policy would
 * not hold after the change, which `broken_rules` lists; `rule_not_true`: a new rule does not hold now.
 */
export const REFUSALS = [
  'site_not_managed',
  'cancelled',
  'cancelled_not_undone',
  'not_undone',
  'timed_out',
  'interrupted',
  'tables_changed',
  'backup_needed',
  'backup_failed',
  'confirmation_needed',
  'second_factor_needed',
  'second_factor_wrong',
  'passkey_needed',
  'passkeys_off',
  'second_factor_missing',
  'second_factor_required',
  'changed_meanwhile',
  'result_unknown',
  'multisite',
  'certificate_refused',
  'address_fixed',
  'target_unreachable',
  'password_missing',
  'repository_incomplete',
  'no_backups',
  'disk_full',
  'foreign_address',
  'result_mismatch',
  'database_failed',
  'no_answer',
  'packages_failed',
  'wordpress_fatal',
  'wordpress_failed',
  'upgrade_needed',
  'policy_broken',
  'rule_not_true',
] as const
export type RefusalCode = (typeof REFUSALS)[number]

const WITH_REMEDY: ReadonlySet<RefusalCode> = new Set([
  'database_failed',
  'no_answer',
  'packages_failed',
])
/** Returns whether the message of a failure ends with what to do as its code has it. */
export const namesRemedy = ({ code }: Pick<ErrorBody, 'code'>): boolean =>
  code !== undefined && WITH_REMEDY.has(code)

export type ErrorName = keyof typeof ERRORS
export type Fields = Record<string, string[]>

/** The message of a cancelled operation, which ends with an `error` event of conflict. */
export const CANCELLED = 'The operation was cancelled'
export const isCancelled = ({ code }: Pick<ErrorBody, 'code'>): boolean =>
  code === 'cancelled' || code === 'cancelled_not_undone'

/** A rule of the access policy that a change would break: its id and text, and what would be true. */
export interface BrokenRule {
  id: number
  rule: string
  problem: string
}

/** The part of a failure that a client sees. */
export type ErrorBody = {
  error: string
  message?: string
  fields?: Fields
  code?: RefusalCode
  broken_rules?: BrokenRule[]
}

/** Returns the name of the error of a body; undefined for an unknown text. */
export function errorNameOf({ error }: Pick<ErrorBody, 'error'>): ErrorName | undefined {
  const names = Object.keys(ERRORS) as ErrorName[]
  return names.find((name) => ERRORS[name].error === error)
}

type ErrorDetails = {
  message?: string
  fields?: Fields
  retry_after?: number
  refusal?: RefusalCode | undefined
  broken_rules?: BrokenRule[]
  cause?: unknown
}

/** A foreseen failure whose text may be shown. `retry_after` is in seconds. */
export class ServiceError extends Error {
  readonly code: ErrorName
  readonly fields: Fields | undefined
  readonly retry_after: number | undefined
  readonly refusal: RefusalCode | undefined
  readonly broken_rules: BrokenRule[] | undefined

  constructor(
    code: ErrorName,
    { message, fields, retry_after, refusal, broken_rules, cause }: ErrorDetails = {},
  ) {
    super(message ?? describe(code, fields), cause === undefined ? undefined : { cause })
    this.name = 'ServiceError'
    this.code = code
    this.fields = fields
    this.retry_after = retry_after
    this.refusal = refusal
    this.broken_rules = broken_rules
  }

  get status(): number {
    return ERRORS[this.code].status
  }

  get body(): ErrorBody {
    const { error } = ERRORS[this.code]
    if (this.fields) return { error, fields: this.fields }
    if (this.message === '') return { error }
    const why = this.refusal && { code: this.refusal }
    const rules = this.broken_rules && { broken_rules: this.broken_rules }
    return { error, message: this.message, ...why, ...rules }
  }
}

export const badRequest = (message: string) => new ServiceError('bad_request', { message })
export const unauthorized = (message = '', refusal?: RefusalCode) =>
  new ServiceError('unauthorized', { message, refusal })
export const forbidden = (message: string, refusal?: RefusalCode) =>
  new ServiceError('forbidden', { message, refusal })
export const conflict = (message: string, refusal?: RefusalCode) =>
  new ServiceError('conflict', { message, refusal })
/** Refuses a change after which rules of the access policy would not hold. */
export const policyBroken = (message: string, broken_rules: BrokenRule[]) =>
  new ServiceError('conflict', { message, refusal: 'policy_broken', broken_rules })
export const cancelledError = (): ServiceError => conflict(CANCELLED, 'cancelled')
/** Returns the failure with the steps that could not be undone. */
export const notUndone = (cause: ServiceError, left: readonly string[]): ServiceError =>
  new ServiceError(cause.code, {
    message: `${cause.message}; could not undo: ${left.join('; ')}`,
    refusal: isCancelled(cause.body) ? 'cancelled_not_undone' : 'not_undone',
    cause,
  })
/** Refuses a change of a discovered site: it can only be read. */
export const notManaged = (domain: string) =>
  conflict(`${domain} was found, not created by Hosting Control`, 'site_not_managed')
/** Refuses a change of a site in the trash. */
export const inTrash = (domain: string) =>
  conflict(`${domain} is in the trash: restore it or delete it permanently`)
export const invalid = (fields: Fields) => new ServiceError('invalid', { fields })
export const offline = (message: string, cause?: unknown) =>
  new ServiceError('offline', { message, cause })
/** Returns the error for a call that the agent has not taken, with a time to repeat it. */
export const starting = (cause?: unknown) =>
  new ServiceError('offline', { message: 'The agent is starting', retry_after: 1, cause })
export const tooLarge = (message: string) => new ServiceError('too_large', { message })
export const unsupportedMedia = (message: string) =>
  new ServiceError('unsupported_media', { message })
/** Returns the error for a missing thing, which `what` names: `Site`, `Site shop.example`. */
export const notFound = (what: string) =>
  new ServiceError('not_found', { message: `${what} not found` })
/** Returns the error for too many requests; `retry_after` in seconds, for the header. */
export const tooMany = (message: string, retry_after: number) =>
  new ServiceError('too_many', { message, retry_after })

type FieldIssue = { path: readonly PropertyKey[]; message: string }

/** The objects whose fields have names of their own in an error: `place.bucket`. */
const NESTED_FIELDS: ReadonlySet<unknown> = new Set(['place', 'relay'])

/**
 * Returns the failing fields of a zod parse; a body that is no object fails on `body`. The message
 * of a field in a list names its entry, counted from 1: `Entry 2, schedule: Must …`.
 */
export function fieldsOf(issues: readonly FieldIssue[]): Fields {
  const fields: Fields = Object.create(null)
  for (const { path, message: rule } of issues) {
    const [, entry, ...field] = path
    const isListed = typeof entry === 'number' && field.length > 0
    const message = isListed ? `Entry ${entry + 1}, ${field.join('.')}: ${rule}` : rule
    const name = NESTED_FIELDS.has(path[0]) ? path.join('.') : String(path[0] ?? 'body')
    const messages = fields[name] ?? []
    if (!messages.includes(message)) messages.push(message)
    fields[name] = messages
  }
  return { ...fields }
}

/** Returns the data of an `error` event for callers that do not request codes. */
export function withoutCode({
  code: _,
  broken_rules: __,
  ...body
}: ErrorBody): Record<string, unknown> {
  return body
}

/** Returns the body of any thrown value: unforeseen errors reveal nothing. */
export function bodyOf(error: unknown): ErrorBody {
  if (error instanceof ServiceError) return error.body
  return { error: ERRORS.internal.error, message: 'An unexpected error occurred' }
}

/** Returns the message of any thrown value. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

function describe(code: ErrorName, fields: Fields | undefined): string {
  return fields ? `${ERRORS[code].error}: ${Object.keys(fields).join(', ')}` : ''
}
