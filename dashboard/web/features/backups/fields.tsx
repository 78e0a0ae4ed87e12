import { EVERY } from '#dashboard/web/labels/backup.ts'
import { Field, Select } from '#dashboard/web/ui/field.tsx'
import type { BackupSettings } from '#shared/backups/api/backup-settings.ts'
import type { BackupTargetView } from '#shared/backups/api/backups.ts'
import { BACKUP_INTERVALS, MAX_PER_SERVER } from '#shared/backups/backup-schedule.ts'

interface ChoiceProps<T> {
  value: T
  onChange: (value: T) => void
  /** What is used without a choice. */
  fallback: string
  error: string | undefined
}

type Every = BackupSettings['every']

export function IntervalField({ value, onChange, fallback, error }: ChoiceProps<Every>) {
  return (
    <Field name="every" label="Interval" error={error}>
      <Select value={value} onChange={({ target }) => onChange(target.value as Every)}>
        <option value="default">{fallback}</option>
        {BACKUP_INTERVALS.map((each) => (
          <option key={each} value={each}>
            {EVERY[each]}
          </option>
        ))}
      </Select>
    </Field>
  )
}

interface TargetFieldProps extends ChoiceProps<number | null> {
  targets: readonly BackupTargetView[]
}

export function TargetField({ targets, value, onChange, fallback, error }: TargetFieldProps) {
  return (
    <Field
      name="target_id"
      label="Target"
      hint="Backups in the previous target stay there."
      error={error}
    >
      <Select
        value={value ?? ''}
        onChange={({ target }) => onChange(target.value === '' ? null : Number(target.value))}
      >
        <option value="">{fallback}</option>
        {targets.map(({ id, name, checked_at }) => (
          <option key={id} value={id}>
            {name}
            {checked_at === null && ' (not checked)'}
          </option>
        ))}
      </Select>
    </Field>
  )
}

/** How many backups run at the same time on a server with a tag. */
export function PerServerField({ value, onChange, fallback, error }: ChoiceProps<number | null>) {
  return (
    <Field
      name="per_server"
      label="Backups at the same time on a server"
      hint="Automatic backups wait while so many run on the server."
      error={error}
    >
      <Select
        value={value ?? ''}
        onChange={({ target }) => onChange(target.value === '' ? null : Number(target.value))}
      >
        <option value="">{fallback}</option>
        {Array.from({ length: MAX_PER_SERVER }, (_, index) => index + 1).map((count) => (
          <option key={count}>{count}</option>
        ))}
      </Select>
    </Field>
  )
}
