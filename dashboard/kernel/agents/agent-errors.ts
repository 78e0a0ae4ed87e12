import { z } from 'zod'
import { codeOf } from '#dashboard/kernel/runtime/error-code.ts'
import {
  conflict,
  type ErrorName,
  offline,
  REFUSALS,
  type RefusalCode,
  ServiceError,
} from '#shared/kernel/errors.ts'
import type { ReachCode } from '#shared/servers/api/enrolment.ts'

const MAX_FIELDS = 50

/** A failure in an answer of an agent: untrusted, shortened to a readable size. */
const text = z.string().transform((value) => value.slice(0, 500))
const AgentFailure = z.object({
  error: text.optional(),
  message: text.optional(),
  fields: z
    .record(z.string().max(64), z.array(text).max(10))
    .refine((fields) => Object.keys(fields).length <= MAX_FIELDS)
    .optional(),
  code: z.enum(REFUSALS).optional().catch(undefined),
})

/** The message begins with what happened; the remedy needs root on the server. */
export const KEY_REFUSED =
  'The agent refused the key of this dashboard: as root on the server, run "hosting-agent trust --hub-key" with the key on the page Keys'

const FINAL: Record<number, ErrorName> = {
  400: 'bad_request',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  413: 'too_large',
  415: 'unsupported_media',
  422: 'invalid',
}

/**
 * Returns the error of an answer other than 200. A refused key, a busy or a broken agent counts as
 * offline, since a retry may help, after the seconds that a busy one requests; a refusal of the
 * request itself is final.
 */
export function errorOfAnswer(status: number, body: unknown, later?: string): ServiceError {
  const { error, message, fields, code: reported } = AgentFailure.safeParse(body).data ?? {}
  const code = FINAL[status]
  const words = message ?? error ?? `status ${status}`
  if (status === 401) return new KeyRefused('offline', { message: KEY_REFUSED })
  if (!code) return brokenAnswer(status, `The agent answered: ${words}`, later)
  if (code === 'conflict' && isForwarded(reported)) return conflict(words, reported)
  return new ServiceError(code, code === 'invalid' && fields ? { fields } : { message: words })
}

/** The codes on which the dashboard acts: no agent chooses others for the clients of the dashboard. */
const FORWARDED_REFUSALS = [
  'password_missing',
  'repository_incomplete',
  'no_backups',
  'wordpress_fatal',
  'wordpress_failed',
] as const
type ForwardedRefusal = (typeof FORWARDED_REFUSALS)[number]
const isForwarded = (code: RefusalCode | undefined): code is ForwardedRefusal =>
  FORWARDED_REFUSALS.some((each) => each === code)

/** Whether an agent has refused a call with one of these codes. */
const isRefusal = (code: ForwardedRefusal) => (error: unknown) =>
  error instanceof ServiceError && error.code === 'conflict' && error.refusal === code

/** Whether an agent has refused a call because it does not have the password of the repository. */
export const lacksPassword = isRefusal('password_missing')

/** Whether an agent has refused a backup into a repository whose creation was interrupted. */
export const isHalfMade = isRefusal('repository_incomplete')

/** Whether an agent has refused to list a repository because it has no complete backup. */
export const hasNoBackups = isRefusal('no_backups')

/**
 * Returns the error of a server failure. An answer with the time of the next attempt is that of an
 * agent that has not taken the call; in seconds (RFC 9110 10.2.3), as our agent writes it, and at
 * most an hour. Any other one may come after the agent has taken the call.
 */
function brokenAnswer(status: number, message: string, later = ''): ServiceError {
  if (/^\d{1,9}$/.test(later))
    return new ServiceError('offline', { message, retry_after: Math.min(Number(later), 3600) })
  return offline(message, status >= 500 ? new UnknownResult(status) : undefined)
}

/** An answer that does not say whether the call was taken. */
class UnknownResult extends Error {
  constructor(status: number) {
    super(`status ${status}`)
  }
}

export class KeyRefused extends ServiceError {}

/** Reduces the data of an `error` event to the errors of shared/kernel/errors.ts. */
export function failureBody(data: unknown) {
  const {
    error = 'Internal error',
    message,
    fields,
    code,
  } = AgentFailure.safeParse(data).data ?? {}
  return { error, ...(message && { message }), ...(fields && { fields }), ...(code && { code }) }
}

const REFUSED = { code: 'connection_refused', words: 'refused the connection' } as const
const UNRESOLVED = {
  code: 'unresolved',
  words: 'has no address: its hostname cannot be resolved',
} as const
const UNREACHABLE = {
  code: 'unreachable',
  words: 'cannot be reached from here: there is no route to it',
} as const

const PROBLEMS: Record<string, { code: ReachCode; words: string }> = {
  ECONNREFUSED: REFUSED,
  ConnectionRefused: REFUSED,
  ENOTFOUND: UNRESOLVED,
  EAI_AGAIN: UNRESOLVED,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  ETIMEDOUT: { code: 'timed_out', words: 'did not answer in time' },
}

const problemOf = (cause: unknown) => PROBLEMS[codeOf(cause)]

/** Returns what kept an agent from being reached, where it is known. */
export const reachCodeOf = (error: unknown): ReachCode | undefined =>
  problemOf(error instanceof Error && error.cause ? error.cause : error)?.code

/** A connection that failed before a byte of its request left. */
export class NotConnected extends Error {
  readonly code: string

  constructor(cause: unknown) {
    super('not connected', { cause })
    this.code = codeOf(cause)
  }
}

/**
 * Whether an agent may have taken a call that failed: its connection broke without an answer, or the
 * answer does not say. Errors without a cause are refusals, or reasons not to send it.
 */
export function mayBeTaken(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  if (cause === undefined || cause instanceof NotConnected) return false
  return !NOT_DELIVERED_CODES.has(codeOf(cause))
}

const NOT_DELIVERED_CODES = new Set(['ECONNREFUSED', 'ConnectionRefused', 'ENOTFOUND', 'EAI_AGAIN'])

/** Describes the failure of a connection as one readable sentence. */
export function unreachable(
  { hostname, port }: { hostname: string; port: number },
  cause: unknown,
) {
  if (cause instanceof ServiceError) return cause
  return offline(
    `The agent on ${hostname}:${port} ${problemOf(cause)?.words ?? 'broke the connection'}`,
    cause,
  )
}

/** The failure of an answer that is not whole within its time. */
export const timedOut = (to: { hostname: string; port: number }) =>
  unreachable(to, Object.assign(new Error('too slow'), { code: 'ETIMEDOUT' }))
