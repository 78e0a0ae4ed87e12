import { strictObject, z } from 'zod'
import { oneOf } from '#shared/kernel/fields.ts'
import { ACTIVITY_SOURCES, ACTIVITY_STATUSES } from '#shared/kernel/values.ts'
import { RecordId, Timestamp } from './parts.ts'

/** The maximum number of 15 digits, which is the length of an id in an address. */
export const MAX_DIGITS = 999_999_999_999_999

/** Parses a whole number in a query: digits only, as conversions take `1e3` and `0x10`. */
export const digits = (message: string, minimum = 1, maximum = MAX_DIGITS) =>
  z
    .string(message)
    .regex(/^[1-9]\d{0,14}$/, message)
    .refine((text) => Number(text) >= minimum && Number(text) <= maximum, message)
    .meta({ minimum, maximum })
    .transform(Number)

const MAX_ENTRIES = 500
const limitRule = `Must be a whole number between 1 and ${MAX_ENTRIES}`

export const Limit = digits(limitRule, 1, MAX_ENTRIES).describe(
  `The maximum number, up to ${MAX_ENTRIES}; default 50.`,
)

export const ActivityQuery = z.object({
  limit: Limit.default(50),
  before: digits('Must be an id').optional().describe('The id of the last one seen.'),
  type: z.string().max(64, 'Must have at most 64 characters').optional(),
  status: oneOf(ACTIVITY_STATUSES).optional(),
  domain: z.string().max(253, 'Must have at most 253 characters').optional(),
  server_id: digits('Must be an id').optional(),
})
export type ActivityQuery = z.infer<typeof ActivityQuery>

/** A time in UTC, such as `2026-11-20` or `2026-11-20T14:05:02Z`. */
const timeRule = 'Must be a date or a time in UTC, such as 2026-11-20 or 2026-11-20T14:05:02Z'
const Time = z
  .union([z.iso.date(timeRule), z.iso.datetime(timeRule)], timeRule)
  .transform((text) => new Date(text).toISOString())

export const FleetActivityQuery = ActivityQuery.extend({
  user: z
    .string()
    .max(254, 'Must have at most 254 characters')
    .optional()
    .describe('The e-mail address of the user.'),
  via: oneOf(ACTIVITY_SOURCES).optional().describe('The kind of source.'),
  address: z
    .string()
    .max(64, 'Must have at most 64 characters')
    .optional()
    .describe('The IP address of the client.'),
  since: Time.optional().describe('The first time; a date is its beginning in UTC.'),
  until: Time.optional().describe('The time before which it was; a date is its beginning in UTC.'),
})
export type FleetActivityQuery = z.infer<typeof FleetActivityQuery>

export const Activity = strictObject({
  id: RecordId,
  type: z.string().describe('`<resource>.<action>`, such as site.create.'),
  domain: z.string().describe('Of the site, else the hostname of the server, else empty.'),
  status: z.enum(ACTIVITY_STATUSES),
  created_at: Timestamp,
}).meta({ id: 'Activity', description: 'Who did what: one entry for each change.' })
export type Activity = z.infer<typeof Activity>

/** An entry with the ids that a page needs for links; null for deleted objects. */
export const FleetActivity = Activity.extend({
  actor: z.string().nullable().describe('The e-mail address of the user; null: the dashboard.'),
  token: z
    .string()
    .nullable()
    .describe('The name of the API token that was used for the user; null: none, but a session.'),
  address: z
    .string()
    .nullable()
    .describe('The IP address of the client; null: unknown, or the dashboard itself.'),
  via: z
    .enum(ACTIVITY_SOURCES)
    .describe(
      'The source: a session in the browser, an API token, the schedule of the dashboard, the report of an agent, or the dashboard itself, such as for each site of a bulk operation.',
    ),
  server_id: RecordId.nullable(),
  server: z.string().nullable().describe('The name of the server.'),
  site_id: RecordId.nullable().describe('The site that has this domain now.'),
  operation_id: z.string().nullable(),
  bulk_id: z.string().nullable(),
  detail: z.string().nullable().describe('What was changed, such as DNS records of an alias.'),
}).meta({ id: 'FleetActivity', description: 'An entry with its user and target.' })
export type FleetActivity = z.infer<typeof FleetActivity>
