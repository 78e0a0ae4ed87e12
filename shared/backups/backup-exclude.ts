import { z } from 'zod'

const MOST = 50

/** Each part of a path; `*` and `**` as restic reads them, and none of its other special characters. */
const isSafe = (path: string): boolean =>
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..') &&
  !/[\p{Cc}\\?[\]]/u.test(path)

/** `*` alone would leave out everything. */
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

/**
 * What a backup leaves out: paths below the public folder of the site. `*` stands for any characters
 * of one name, and `**` for any number of folders.
 */
export const BackupExcludes = z
  .array(ExcludedPath, 'Must be a list of paths')
  .max(MOST, `Must have at most ${MOST} paths`)
  .refine((paths) => new Set(paths).size === paths.length, 'Must not have duplicates')
