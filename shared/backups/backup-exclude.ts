import { z } from 'zod'

const MAX_PATHS = 50

/** Returns whether each part of a path has only `*` and `**` of restic's special characters. */
const isSafe = (path: string): boolean =>
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..') &&
  !/[\p{Cc}\\?[\]]/u.test(path)

/** Returns whether it is more than `*`, which would leave out everything. */
const isNarrow = (path: string): boolean => /[^*.]/.test(path.split('/').at(-1) ?? '')

const ExcludedPath = z
  .string('Must be a string')
  .trim()
  .min(1, 'Must have 1 to 255 characters')
  .max(255, 'Must have 1 to 255 characters')
  .refine(
    isSafe,
    'Must be a path such as wp-content/uploads/videos, without . or .. and without \\ ? [ ]',
  )
  .refine(isNarrow, 'Must end with the name of a file or folder')

/** What a backup leaves out below the public folder: `*` within a name, `**` for folders. */
export const BackupExcludes = z
  .array(ExcludedPath, 'Must be a list of paths')
  .max(MAX_PATHS, `Must have at most ${MAX_PATHS} paths`)
  .refine((paths) => new Set(paths).size === paths.length, 'Must not have duplicates')
