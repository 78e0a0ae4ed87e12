import { z } from 'zod'
import { Domain, oneOf } from '#shared/kernel/fields.ts'

/** The logs of a site. `wordpress`: what WP_DEBUG_LOG writes; `cron`: output of its jobs. */
export const LOG_SOURCES = ['access', 'error', 'php', 'wordpress', 'cron', 'mail'] as const
export type LogSource = (typeof LOG_SOURCES)[number]

/** The number of rotated files of one log beside its newest one. */
export const LOG_ROTATIONS = 8
/** The maximum size: a larger log is rotated within minutes, whatever its age. */
export const MAX_LOG_BYTES = 50 << 20

/** The levels, least severe first. */
export const LOG_LEVELS = ['info', 'warning', 'error', 'fatal'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** The limits of an answer: a line of more bytes is cut, and says so. */
export const MAX_LOG_LINES = 500
export const MAX_LOG_LINE = 8192
/** The maximum length of a masked line: masks and escapes make it longer. */
export const MAX_LOG_TEXT = 4 * MAX_LOG_LINE
const MAX_GROUPS = 100
/** The maximum size of the lines of one page in bytes of JSON. */
export const MAX_PAGE = 700 << 10
/** The maximum number of lines in a second of a live view: others are only counted. */
export const MAX_LIVE_LINES = 200
/** The maximum size of a download of a log, in bytes. */
export const MAX_DOWNLOAD = 20 << 20

const LogText = z
  .string()
  .max(200, 'Must have at most 200 characters')
  .refine((text) => !/\p{Cc}/u.test(text), 'Must not contain control characters')

const moment = z.iso.datetime({ error: 'Must be a time such as 2026-03-01T09:30:00Z' })

/** A position: `<digest of the first line of the file>.<byte>`, or `.end`. It survives rotation. */
export const LogPosition = z
  .string()
  .regex(/^[0-9a-f]{16}\.(?:\d{1,16}|end)$/, 'Must be the `next` of an answer')

/** The filter of a call. Without a level, text or time it matches everything. */
export const LogFilter = z.object({
  level: oneOf(LOG_LEVELS).optional(),
  text: LogText.optional(),
  since: moment.optional(),
  until: moment.optional(),
})
export type LogFilter = z.infer<typeof LogFilter>

const OfSite = z.object({ domain: Domain })
const OfSource = LogFilter.extend({ domain: Domain, source: oneOf(LOG_SOURCES) })

export const LogsRequest = OfSite
export const LogSearchRequest = OfSource.extend({
  limit: z.int().min(1).max(MAX_LOG_LINES),
  before: LogPosition.optional(),
})
export type LogSearchRequest = z.infer<typeof LogSearchRequest>
export const LogTailRequest = OfSource.omit({ since: true, until: true })
export type LogTailRequest = z.infer<typeof LogTailRequest>
export const LogDownloadRequest = OfSource
export type LogDownloadRequest = z.infer<typeof LogDownloadRequest>
export const LogFatalsRequest = OfSite.extend({ since: moment })
export type LogFatalsRequest = z.infer<typeof LogFatalsRequest>

const count = z.int().nonnegative()

export const AgentLog = z.object({
  source: oneOf(LOG_SOURCES),
  files: count,
  /** The size on the disk; null where root records it. */
  bytes: count.nullable(),
  changed_at: z.iso.datetime().max(40).nullable(),
})
export const AgentLogs = z.object({
  logs: z.array(AgentLog).max(LOG_SOURCES.length),
  /** The time when the debug log of WordPress ends; null when it is off. */
  debug_until: z.iso.datetime().max(40).nullable(),
})
export type AgentLogs = z.infer<typeof AgentLogs>

export const AgentLogLine = z.object({
  at: z.iso.datetime().max(40).nullable(),
  level: oneOf(LOG_LEVELS),
  /** The HTTP status of an answer to a visitor; null when the line has none. */
  status: z.int().min(0).max(999).nullable(),
  text: z.string().max(MAX_LOG_TEXT),
  cut: z.boolean(),
})
export type AgentLogLine = z.infer<typeof AgentLogLine>

export const SearchExtent = z.object({
  bytes: count,
  files: count,
  /** The number of compressed files that could not be read in the time of one call, or at all. */
  unread: count,
  oldest_at: z.iso.datetime().max(40).nullable(),
})
export type SearchExtent = z.infer<typeof SearchExtent>

export const AgentLogPage = z.object({
  lines: z.array(AgentLogLine).max(MAX_LOG_LINES),
  /** The position at which the search continues; null when nothing older is left. */
  next: LogPosition.nullable(),
  looked: SearchExtent,
})
export type AgentLogPage = z.infer<typeof AgentLogPage>

export const FATAL_KINDS = ['plugin', 'theme', 'must-use plugin', 'core', 'other'] as const

export const FatalGroup = z.object({
  kind: oneOf(FATAL_KINDS),
  slug: z.string().max(256),
  count,
  first_at: z.iso.datetime().max(40).nullable(),
  last_at: z.iso.datetime().max(40).nullable(),
  /** The text of the newest error. */
  text: z.string().max(MAX_LOG_TEXT),
})
export type FatalGroup = z.infer<typeof FatalGroup>

export const AgentFatals = z.object({
  groups: z.array(FatalGroup).max(MAX_GROUPS),
  is_complete: z.boolean(),
  looked: SearchExtent,
})
export type AgentFatals = z.infer<typeof AgentFatals>
export const MAX_FATAL_GROUPS = MAX_GROUPS

/** An event of a live view: a line, or how many were left out since the last one. */
export const LogNews = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('line'), line: AgentLogLine }),
  z.object({ kind: z.literal('left_out'), lines: count }),
])
export type LogNews = z.infer<typeof LogNews>
