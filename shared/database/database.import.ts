import { z } from 'zod'
import { without_backup } from '#shared/backups/without-backup.ts'
import { command } from '#shared/kernel/command.ts'
import { Domain, ReportedDomain, TrueOrFalse, wholeNumber } from '#shared/kernel/fields.ts'
import { completesWith, operationType, SAME_DOMAIN } from '#shared/kernel/operation-type.ts'
import { MAX_PARTS, UploadId } from './site-database.ts'

const databaseImport = command({
  name: 'database.import',
  summary: 'Import an uploaded dump into the database of a site',
  changes: true,
  minutes: 24 * 60,
  silent_minutes: 15,
  params: z.object({
    domain: Domain,
    upload: UploadId,
    part_count: wholeNumber(1, MAX_PARTS).describe('The number of parts of the upload.'),
    packed: TrueOrFalse.default(false).describe('True: the dump is compressed with gzip.'),
    replace: TrueOrFalse.default(false).describe(
      'True: all current tables are removed. Default: tables that the dump does not have stay.',
    ),
  }),
  result: z.object({
    domain: ReportedDomain,
    at: z.iso.datetime().describe('The time of the import.'),
    until: z.iso.datetime().describe('The previous database is kept until then.'),
    bytes: z.int().nonnegative().describe('Of the SQL.'),
  }),
})

/** Needs a high right: a dump controls all that the site stores, with administrators. */
export const databaseImportType = operationType({
  name: 'Import database',
  title: 'Import a dump into the database of',
  target: 'site',
  command: databaseImport,
  right: 'admin',
  params: databaseImport.params.omit({ domain: true }).extend({ without_backup }),
  confirms: SAME_DOMAIN,
  outcome: completesWith(databaseImport.result),
  bulk: null,
})
