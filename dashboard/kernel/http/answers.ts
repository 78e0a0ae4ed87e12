import { z } from 'zod'
import type { ErrorName } from '#shared/kernel/errors.ts'
import type { Events } from '#shared/operations/api/events.ts'

/** The description of a successful answer; with `events`, of a stream of them. */
export interface AnswerSpec {
  about: string
  json?: z.ZodType
  /** The events; an endless stream has no terminal one. */
  events?: Pick<Events, 'log'> & Partial<Events>
  /** The media type of other answers. */
  file?: string
  /** The other media types that the file may have. */
  other_files?: readonly string[]
  headers?: readonly (keyof typeof HEADERS)[]
}

export type AnswerSpecs = Readonly<Record<number, AnswerSpec>>

/** The errors of a call that contacts an agent before its answer. */
export const ASKS_AGENT = [
  'bad_request',
  'not_found',
  'conflict',
  'invalid',
  'offline',
] as const satisfies ErrorName[]

export const HEADERS = {
  'Operation-Id': 'The operation; see `GET /api/operations/<id>`.',
  'Set-Cookie':
    'The cookie `session`, of a login `device` too, or of the options of a login `attempt`: HttpOnly, SameSite=Strict, Path=/, Secure over TLS. That of a login at a provider is `sso`, SameSite=Lax. Where the public address is https, their names begin with `__Host-`. That of Adminer is for its own address only, and SameSite=None.',
  ETag: 'Changes with the content: sent as `If-None-Match`, it saves the transfer.',
  'Retry-After': 'Seconds until another attempt may succeed.',
  'X-Request-Id': 'Names the request, in the log of the dashboard and of the agent too.',
} as const

/** Describes the ordinary answer: 200 with these fields. */
export const shows = <S extends z.ZodRawShape>(about: string, fields: S) => ({
  200: { about, json: z.strictObject(fields) },
})

/** Describes an answer with 201 and these fields. */
export const creates = <S extends z.ZodRawShape>(about: string, fields: S) => ({
  201: { about, json: z.strictObject(fields) },
})

const started: readonly ['Operation-Id'] = ['Operation-Id']

/** Describes a stream of the operation that the call starts or joins. */
export const streamOf = (about: string, events: Events) => ({ about, events, headers: started })

/** Describes an answer after which the work continues in the background. */
export const continues = <J extends z.ZodType>(about: string, json: J) => ({
  about,
  json,
  headers: started,
})
