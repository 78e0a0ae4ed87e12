import { strictObject, z } from 'zod'
import { digits } from '#shared/kernel/api/activity.ts'
import { body } from '#shared/kernel/api/body.ts'
import { Count, Timestamp } from '#shared/kernel/api/parts.ts'
import { oneOf } from '#shared/kernel/fields.ts'
import { DryRun } from '#shared/kernel/plan.ts'
import {
  AgentLog,
  AgentLogLine,
  FATAL_KINDS,
  LOG_LEVELS,
  LOG_SOURCES,
  LogFilter,
  LogPosition,
  MAX_LOG_LINES,
} from '#shared/logs/site-logs.ts'
import { wpDebugType } from '#shared/sites/wp.debug.ts'

const filter = {
  level: LogFilter.shape.level.describe('The least severe one that is included.'),
  text: LogFilter.shape.text.describe(
    'Only lines with this text, in upper or lower case. Masked text is not searched.',
  ),
}
const source = oneOf(LOG_SOURCES).describe(
  'access and error: of nginx; php: errors of PHP; wordpress: its debug log; cron: output of its jobs; mail: the delivery of each message.',
)
const times = { since: LogFilter.shape.since, until: LogFilter.shape.until }
const limitRule = `Must be a whole number between 1 and ${MAX_LOG_LINES}`

export const SearchLogQuery = z.object({
  source,
  ...filter,
  ...times,
  limit: digits(limitRule, 1, MAX_LOG_LINES)
    .default(200)
    .describe(`The maximum number of lines, up to ${MAX_LOG_LINES}; default 200.`),
  before: LogPosition.optional().describe('`next` of the page before.'),
})
export type SearchLogQuery = z.infer<typeof SearchLogQuery>

export const DownloadLogQuery = z.object({ source, ...filter, ...times })
export type DownloadLogQuery = z.infer<typeof DownloadLogQuery>

export const FollowLogQuery = z.object({ source, ...filter })
export type FollowLogQuery = z.infer<typeof FollowLogQuery>

export const LogFatalsQuery = z.object({
  days: digits('Must be a whole number between 1 and 30', 1, 30)
    .default(7)
    .describe('How many days back, up to 30; default 7.'),
})

const SiteLog = strictObject({
  ...AgentLog.shape,
  files: Count.describe('With those that were rotated; 0 for jobs on a server without systemd.'),
  bytes: Count.nullable().describe('On the disk; null for jobs.'),
  changed_at: Timestamp.nullable(),
}).meta({ id: 'SiteLog', description: 'A log of a site.' })

export const SiteLogs = strictObject({
  logs: z.array(SiteLog),
  debug_until: Timestamp.nullable().describe(
    'When the debug log of WordPress ends automatically; null: it is off.',
  ),
}).meta({ id: 'SiteLogs', description: 'The logs of a site.' })

const LogLine = strictObject({
  ...AgentLogLine.shape,
  at: Timestamp.nullable().describe('Null: the line has none.'),
  level: z
    .enum(LOG_LEVELS)
    .describe('Of a request: error for a status of 500 or more, warning for 400 or more.'),
  status: z.int().nullable().describe('Of a request.'),
  text: z.string().describe('With its secrets masked and its control characters visible.'),
  cut: z.boolean().describe('It has more than 8,192 bytes: the rest is left out.'),
}).meta({ id: 'LogLine', description: 'A line of a log, or an entry of several lines.' })

const looked = strictObject({
  bytes: Count,
  files: Count,
  unread: Count.describe('Compressed files that are damaged, or take too long to read.'),
  oldest_at: Timestamp.nullable().describe('How far back it looked.'),
}).meta({ id: 'LookedAt', description: 'What a search has read.' })

export const LogPage = strictObject({
  lines: z.array(LogLine).describe('Newest first.'),
  next: z
    .string()
    .nullable()
    .describe(
      'For the next page. Also a page without lines can have one: a call looks for some seconds at most. Null: nothing is left.',
    ),
  looked,
}).meta({ id: 'LogPage', description: 'One page of a log.' })
export type LogPage = z.infer<typeof LogPage>

const Fatal = strictObject({
  kind: z.enum(FATAL_KINDS),
  slug: z.string().describe('The folder of the plugin or theme; empty for others.'),
  count: Count,
  first_at: Timestamp.nullable(),
  last_at: Timestamp.nullable(),
  text: z.string().describe('The last one.'),
}).meta({ id: 'Fatal', description: 'The fatal errors of PHP that come from one part of a site.' })

export const Fatals = strictObject({
  groups: z.array(Fatal).describe('Most frequent first.'),
  is_complete: z.boolean().describe('False: older errors were not read in the time of a call.'),
  looked,
}).meta({ id: 'Fatals', description: 'The fatal errors of PHP of a site.' })
export type Fatals = z.infer<typeof Fatals>

export const SetDebugLog = body({ ...wpDebugType.params.shape, dry_run: DryRun }).meta({
  id: 'SetDebugLog',
})

/** The data of a `log` event of a live view. */
export const LogNewsEvent = z
  .discriminatedUnion('kind', [
    strictObject({ kind: z.literal('line'), message: z.string(), line: LogLine }),
    strictObject({
      kind: z.literal('left_out'),
      message: z.string(),
      lines: Count.describe('Matching lines that were not sent: at most 200 are in a second.'),
    }),
  ])
  .meta({ id: 'LogNews', description: 'A new line of a log, or how many were left out.' })
export type LogNewsEvent = z.infer<typeof LogNewsEvent>
