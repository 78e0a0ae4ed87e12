import { EVERY } from '#dashboard/web/labels/backup.ts'
import { SelectField } from '#dashboard/web/ui/field.tsx'
import { named } from '#dashboard/web/ui/option.ts'
import type { BackupSettings } from '#shared/backups/api/backup-settings.ts'
import type { BackupTargetView } from '#shared/backups/api/backups.ts'
import { BACKUP_INTERVALS, MAX_PER_SERVER } from '#shared/backups/backup-schedule.ts'

interface ChoiceProps<T> {
  value: T
  onChange: (value: T) => void
  /** What is used without a choice. */
  fallback: string
  error?: string | undefined
}

type Every = BackupSettings['every']

export const IntervalField = ({ fallback, ...props }: ChoiceProps<Every>) => (
  <SelectField
    {...props}
    name="every"
    label="Interval"
    options={[
      { value: 'default', name: fallback },
      ...BACKUP_INTERVALS.map((value) => ({ value, name: EVERY[value] })),
    ]}
  />
)

interface TargetFieldProps extends ChoiceProps<number | null> {
  targets: readonly BackupTargetView[]
}

export const TargetField = ({ targets, fallback, ...props }: TargetFieldProps) => (
  <SelectField
    {...props}
    name="target_id"
    label="Target"
    hint="Backups in the previous target stay there."
    options={[
      { value: null, name: fallback },
      ...targets.map(({ id, name, checked_at }) => ({
        value: id,
        name: checked_at === null ? `${name} (not checked)` : name,
      })),
    ]}
  />
)

/** The field for the number of backups that run at the same time on a server with a tag. */
export const PerServerField = ({ fallback, ...props }: ChoiceProps<number | null>) => (
  <SelectField
    {...props}
    name="per_server"
    label="Backups at the same time on a server"
    hint="Automatic backups wait while so many run on the server."
    options={[
      { value: null, name: fallback },
      ...named(...Array.from({ length: MAX_PER_SERVER }, (_, index) => index + 1)),
    ]}
  />
)

/** Whether a site is backed up before an operation changes it. */
export const BackupFirstField = ({ fallback, ...props }: ChoiceProps<boolean | null>) => (
  <SelectField
    {...props}
    name="backup_first"
    label="Backup before changes"
    hint="Before another PHP version, a push and a deletion, unless the last backup is less than an hour old. If the backup fails, nothing changes."
    options={[
      { value: null, name: fallback },
      { value: true, name: 'On' },
      { value: false, name: 'Off' },
    ]}
  />
)
