import { strictObject, z } from 'zod'
import { Count, Timestamp } from './parts.ts'

const Table = strictObject({
  name: z.string(),
  engine: z.string().nullable().describe('Such as `InnoDB`; null: MariaDB cannot open the table.'),
  rows: Count.describe('An estimate of MariaDB.'),
  data_bytes: Count,
  index_bytes: Count,
  free_bytes: Count.describe('Space that the table occupies and does not use.'),
}).meta({ id: 'DatabaseTable' })

const AutoloadedOption = strictObject({ name: z.string(), bytes: Count }).meta({
  id: 'AutoloadedOption',
})

const AutoloadedOptions = strictObject({
  table: z.string(),
  count: Count,
  bytes: Count.describe('Of all values that WordPress loads with every request.'),
  largest: z.array(AutoloadedOption).describe('At most 20, without their values.'),
  expired: Count.describe('Transients that have expired and are still stored.'),
  expired_bytes: Count,
}).meta({ id: 'AutoloadedOptions', description: 'Of one table of options of WordPress.' })

const StatementDigest = strictObject({
  text: z.string().describe('With `?` in the place of each value.'),
  count: Count,
  total_ms: Count,
  longest_ms: Count,
  rows_examined: Count,
  rows_sent: Count,
  without_index: Count.describe('How often a table was read without an index.'),
  last_at: Timestamp,
}).meta({ id: 'StatementDigest', description: 'Statements that differ in their values only.' })

export const SiteDatabase = strictObject({
  tables: z.array(Table).describe('Largest first, at most 1000.'),
  table_count: Count,
  data_bytes: Count,
  index_bytes: Count,
  free_bytes: Count,
  options: z
    .array(AutoloadedOptions)
    .nullable()
    .describe('One for each table of options, at most 5; null: they could not be read.'),
  queries: z
    .array(StatementDigest)
    .nullable()
    .describe(
      'Those that took the most time since MariaDB was started, at most 20; null: the performance schema of MariaDB is off.',
    ),
}).meta({ id: 'SiteDatabase', description: 'Sizes and names in the database of a site.' })
export type SiteDatabase = z.infer<typeof SiteDatabase>
