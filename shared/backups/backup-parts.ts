import { z } from 'zod'

const MAX_PATHS = 100
const MAX_TABLES = 1000

/** Relative to the public folder of a site, such as `wp-content/uploads`: a folder with its content. */
export const BackupPath = z
  .string('Must be a string')
  .min(1, 'Must have 1 to 1024 characters')
  .max(1024, 'Must have 1 to 1024 characters')
  .refine(
    (path) => !path.split('/').some((name) => name === '' || name === '.' || name === '..'),
    'Must be a path such as wp-content/uploads, relative to the public folder',
  )
  .refine(
    (path) => !/[\p{Cc}\ufffd]/u.test(path),
    'Must not contain control characters: choose the folder above',
  )

const TableName = z
  .string('Must be a string')
  .min(1, 'Must have 1 to 64 characters')
  .max(64, 'Must have 1 to 64 characters')
  .refine((name) => !/\p{Cc}/u.test(name), 'Must not contain control characters')

/** What a restore replaces. */
export const BackupParts = z
  .object({
    files: z.boolean('Must be true or false'),
    database: z.boolean('Must be true or false'),
    paths: z
      .array(BackupPath, 'Must be a list of paths')
      .min(1, 'Must have 1 to 100 paths')
      .max(MAX_PATHS, 'Must have 1 to 100 paths')
      .optional()
      .describe('Only these files and folders. Requires `files`.'),
    tables: z
      .array(TableName, 'Must be a list of tables')
      .min(1, 'Must have 1 to 1000 tables')
      .max(MAX_TABLES, 'Must have 1 to 1000 tables')
      .optional()
      .describe('Only these tables. Requires `database`.'),
  })
  .refine(({ files, database }) => files || database, 'Must name files or database')
  .refine(({ files, paths }) => files || !paths, 'Must have files with paths')
  .refine(({ database, tables }) => database || !tables, 'Must have database with tables')
export type BackupParts = z.infer<typeof BackupParts>
