import { strictObject, z } from 'zod'
import { databaseImportType } from '#shared/database/database.import.ts'
import { databaseMaintainType } from '#shared/database/database.maintain.ts'
import { DatabaseUserName, MAX_MINUTES, UserRights } from '#shared/database/database-user.ts'
import { PART_BYTES, UploadData, UploadId, UploadPart } from '#shared/database/site-database.ts'
import { body } from '#shared/kernel/api/body.ts'
import { Count, Timestamp } from '#shared/kernel/api/parts.ts'
import { wholeNumber } from '#shared/kernel/fields.ts'
import { DryRun } from '#shared/kernel/plan.ts'

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

const UnusedOptions = strictObject({
  plugin: z.string().describe('A known plugin that is not active.'),
  count: Count,
  bytes: Count,
}).meta({ id: 'UnusedOptions', description: 'Autoloaded options that are probably not used.' })

const AutoloadedOptions = strictObject({
  table: z.string(),
  count: Count,
  bytes: Count.describe('Of all values that WordPress loads with every request.'),
  largest: z.array(AutoloadedOption).describe('At most 20, without their values.'),
  expired: Count.describe('Transients that have expired and are still stored.'),
  expired_bytes: Count,
  unused: z
    .array(UnusedOptions)
    .describe('Largest first. Empty for a network of sites, whose plugins are not known here.'),
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

export const ShownExport = strictObject({
  export: strictObject({
    bytes: Count.describe('Of SQL, before it is compressed.'),
    total: Count.describe('About so many: the size of the rows of all tables; 0: unknown.'),
  })
    .nullable()
    .describe('Null: none is running.'),
}).meta({ id: 'ShownExport', description: 'The running export of the database of a site.' })

const DatabaseUser = strictObject({
  user: z.string(),
  rights: UserRights,
  ends_at: Timestamp,
}).meta({ id: 'DatabaseUser', description: 'A temporary user of the database of a site.' })

export const DatabaseUsers = strictObject({
  users: z.array(DatabaseUser).describe('Those that end first at the top.'),
}).meta({ id: 'DatabaseUsers' })
export type DatabaseUsers = z.infer<typeof DatabaseUsers>

export const CreateDatabaseUser = body({
  rights: UserRights.describe('`write` has the rights of the site itself: to all its tables.'),
  minutes: wholeNumber(1, MAX_MINUTES)
    .default(MAX_MINUTES)
    .describe('After that, the user and its connections end.'),
}).meta({ id: 'CreateDatabaseUser' })

export const CreatedDatabaseUser = strictObject({
  user: z.string(),
  password: z.string().describe('Shown once: it is not stored.'),
  database: z.string(),
  rights: UserRights,
  host: z.string().describe('Of the end of the tunnel on the own computer.'),
  port: z.int(),
  tunnel: z.string().describe('The command that opens the tunnel: MariaDB is not in the network.'),
  socket: z.string().describe('For a client on the server itself.'),
  ends_at: Timestamp,
}).meta({ id: 'CreatedDatabaseUser' })
export type CreatedDatabaseUser = z.infer<typeof CreatedDatabaseUser>

export const OpenTool = body({
  rights: UserRights.describe('`write` has the rights of the site itself: to all its tables.'),
}).meta({ id: 'OpenTool' })

export const OpenedTool = strictObject({
  url: z.string().describe('Of this dashboard; only the browser that got the cookie can open it.'),
  user: z.string().describe('The temporary user of the session.'),
  rights: UserRights,
  ends_at: Timestamp,
}).meta({ id: 'OpenedTool' })
export type OpenedTool = z.infer<typeof OpenedTool>

export const EndDatabaseUser = body({ user: DatabaseUserName, dry_run: DryRun }).meta({
  id: 'EndDatabaseUser',
})

export const MaintainTables = body({
  ...databaseMaintainType.params.shape,
  dry_run: DryRun,
}).meta({ id: 'MaintainTables' })

export const UploadDump = body({
  upload: UploadId.describe('Chosen by the caller; the same for all parts of a dump.'),
  part: UploadPart.describe('0, 1, 2 …; part 0 removes earlier uploads of the site.'),
  data: UploadData.describe(`Base64 of ${PART_BYTES} bytes; of fewer for the last part.`),
}).meta({ id: 'UploadDump' })

export const UploadedDump = strictObject({ part: Count }).meta({ id: 'UploadedDump' })

export const ImportDump = body({
  ...databaseImportType.params.shape,
  dry_run: DryRun,
}).meta({ id: 'ImportDump' })
