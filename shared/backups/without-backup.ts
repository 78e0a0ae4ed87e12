import { TrueOrFalse } from '#shared/kernel/fields.ts'

/** The parameter `without_backup` of calls that change what a backup contains. */
export const without_backup = TrueOrFalse.optional().describe(
  'Change a site although it has no backup of the last hour. Default: it is backed up first if `backup_first` says so, and stays as it is if the backup fails.',
)
