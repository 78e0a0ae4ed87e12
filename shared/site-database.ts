import { z } from 'zod'

/** Of one answer: the largest ones. */
export const MOST_TABLES = 1000
export const MOST_OPTIONS = 20
/** A network of sites has one table of options for each. */
export const MOST_OPTION_TABLES = 5
export const MOST_DIGESTS = 20
/** Above that, WordPress itself warns. */
export const LARGE_AUTOLOAD = 800_000

const Size = z.int().nonnegative().max(Number.MAX_SAFE_INTEGER)
/** The site chooses them. */
const name = (most: number) => z.string().transform((text) => text.slice(0, most))

const AgentTable = z.object({
  name: name(64),
  /** Null: MariaDB cannot open it. */
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
  largest: z.array(z.object({ name: name(191), bytes: Size })).max(MOST_OPTIONS),
  expired: Size,
  expired_bytes: Size,
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

/** Of the database of a site: sizes and names, and no value of it. */
export const AgentDatabase = z.object({
  tables: z.array(AgentTable).max(MOST_TABLES),
  table_count: Size,
  data_bytes: Size,
  index_bytes: Size,
  free_bytes: Size,
  /** Null: they were not read. */
  options: z.array(AgentOptions).max(MOST_OPTION_TABLES).nullable(),
  /** Null: MariaDB collects none. */
  queries: z.array(AgentDigest).max(MOST_DIGESTS).nullable(),
})
export type AgentDatabase = z.infer<typeof AgentDatabase>
