import { Field, Select } from '#dashboard/web/ui/field.tsx'

interface BackupFirstFieldProps {
  value: boolean | null
  onChange: (value: boolean | null) => void
  /** What is used without a choice. */
  fallback: string
  error: string | undefined
}

/** Whether a site is backed up before an operation changes it. */
export function BackupFirstField({ value, onChange, fallback, error }: BackupFirstFieldProps) {
  return (
    <Field
      name="backup_first"
      label="Backup before changes"
      hint="Before another PHP version, a push and a deletion, unless the last backup is less than an hour old. If the backup fails, nothing changes."
      error={error}
    >
      <Select
        value={value === null ? '' : String(value)}
        onChange={({ target }) => onChange(target.value === '' ? null : target.value === 'true')}
      >
        <option value="">{fallback}</option>
        <option value="true">On</option>
        <option value="false">Off</option>
      </Select>
    </Field>
  )
}
