import { TrueOrFalse } from '#shared/kernel/fields.ts'

/** Of a call that changes what a backup has. */
export const without_backup = TrueOrFalse.optional().describe(
  'Change a site although it has no backup of the last hour. Default: it is backed up first if `backup_first` says so, and stays as it is if the backup fails.',
)
