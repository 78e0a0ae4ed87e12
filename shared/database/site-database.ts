import { z } from 'zod'
import { plainOutput } from '#shared/jobs/job-runs.ts'
import { Domain } from '#shared/kernel/fields.ts'

/** A name that a site has chosen, for one line of a page or a log. */
export const plainName = (text: string): string => plainOutput(text).replaceAll(/[\n\t]/g, ' ')

/** The maximum number of tables in one request, and in one answer, which has the largest ones. */
export const MAX_TABLES = 1000
export const MAX_OPTIONS = 20
/** The maximum number of tables of options: a network of sites has one for each. */
export const MAX_OPTION_TABLES = 5
export const MAX_DIGESTS = 20
/** The size above which WordPress itself warns. */
export const LARGE_AUTOLOAD = 800_000

const Size = z.int().nonnegative().max(Number.MAX_SAFE_INTEGER)
/** Cuts a text that the site chooses. */
const name = (most: number) => z.string().transform((text) => text.slice(0, most))

const AgentTable = z.object({
  name: name(64),
  /** The storage engine of the table; null when MariaDB cannot open the table. */
  engine: name(64).nullable(),
  rows: Size,
  data_bytes: Size,
  index_bytes: Size,
  free_bytes: Size,
})

const AgentOptions = z.object({
  table: name(64),
  count: Size,
  bytes: Size,
  largest: z.array(z.object({ name: name(191), bytes: Size })).max(MAX_OPTIONS),
  expired: Size,
  expired_bytes: Size,
  unused: z.array(z.object({ plugin: name(100), count: Size, bytes: Size })).max(100),
})

const AgentDigest = z.object({
  text: name(1000),
  count: Size,
  total_ms: Size,
  longest_ms: Size,
  rows_examined: Size,
  rows_sent: Size,
  without_index: Size,
  last_at: z.iso.datetime().max(40),
})

/** The state of the database of a site: sizes and names, but no stored values. */
export const AgentDatabase = z.object({
  tables: z.array(AgentTable).max(MAX_TABLES),
  table_count: Size,
  data_bytes: Size,
  index_bytes: Size,
  free_bytes: Size,
  /** The tables of options; null when they were not read. */
  options: z.array(AgentOptions).max(MAX_OPTION_TABLES).nullable(),
  /** The digests of queries; null when MariaDB collects none. */
  queries: z.array(AgentDigest).max(MAX_DIGESTS).nullable(),
})
export type AgentDatabase = z.infer<typeof AgentDatabase>

export const TABLE_ACTIONS = ['check', 'repair', 'optimise'] as const
export type TableAction = (typeof TABLE_ACTIONS)[number]

const RULE = 'Must be a list of at most 1000 different names of tables'

/** Names of tables of a site, as MariaDB limits them. */
export const TableNames = z
  .array(
    z
      .string('Must be a string')
      .regex(/^[^\0]{1,64}$/su, 'Must be the name of a table, with 1 to 64 characters'),
    RULE,
  )
  .min(1, 'Must name at least one table')
  .max(MAX_TABLES, RULE)
  .refine((names) => new Set(names).size === names.length, RULE)

const TABLE_STATES = ['ok', 'warning', 'failed', 'unsupported'] as const

/** What MariaDB answered about one table. */
export const TableResult = z.object({
  name: z.string().max(128),
  state: z
    .enum(TABLE_STATES)
    .describe('unsupported: the engine of the table does not have the action.'),
  message: z.string().max(300).describe('Of MariaDB, if there is more to say than OK.'),
})
export type TableResult = z.infer<typeof TableResult>

/** The size of one part of an upload in bytes: with base64 it fits into a body of 1 MiB. */
export const PART_BYTES = 589_824
/** The progress of an export, in bytes of SQL before it is compressed. */
const ExportProgress = z.object({
  bytes: z.int().nonnegative(),
  /** The estimated size; 0 when unknown. */
  total: z.int().nonnegative(),
})
export type ExportProgress = z.infer<typeof ExportProgress>
export const Exporting = z.object({ export: ExportProgress.nullable() })

/** The maximum number of parts, about 5 GB. */
export const MAX_PARTS = 9000

export const UploadId = z.string().regex(/^[a-z0-9]{16}$/, 'Must be 16 characters of a-z 0-9')

const MAX_BASE64 = (PART_BYTES / 3) * 4
const PART_RULE = `Must be base64 of 1 to ${PART_BYTES} bytes`
/** Only the last part of an upload may be smaller. */
export const UploadData = z
  .string(PART_RULE)
  .min(4, PART_RULE)
  .max(MAX_BASE64, PART_RULE)
  .regex(/^[A-Za-z0-9+/]+={0,2}$/, PART_RULE)
  .refine((text) => text.length % 4 === 0, PART_RULE)

export const UploadPart = z
  .int(`Must be a whole number between 0 and ${MAX_PARTS - 1}`)
  .min(0, `Must be a whole number between 0 and ${MAX_PARTS - 1}`)
  .max(MAX_PARTS - 1, `Must be a whole number between 0 and ${MAX_PARTS - 1}`)

/** A part of a dump on its way to the server. */
export const UploadRequest = z.object({
  domain: Domain,
  upload: UploadId,
  part: UploadPart,
  data: UploadData,
})
export type UploadRequest = z.infer<typeof UploadRequest>
export const Uploaded = z.object({ part: z.int().nonnegative() })
