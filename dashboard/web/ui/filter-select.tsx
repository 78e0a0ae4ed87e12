import { cx } from './cx.ts'
import { Select } from './field.tsx'

interface FilterSelectProps {
  /** The label while nothing is chosen. */
  name: string
  value: string | number | undefined
  options: readonly { value: string | number; name: string }[]
  onChange: (value: string | undefined) => void
}

/** One of several, or any; highlighted while it filters. */
export function FilterSelect({ name, value, options, onChange }: FilterSelectProps) {
  const isKnown = options.some((option) => String(option.value) === String(value ?? ''))
  return (
    <Select
      aria-label={name}
      value={value ?? ''}
      onChange={(event) => onChange(event.target.value || undefined)}
      className={cx(
        'max-w-40 sm:max-w-44',
        value !== undefined && 'border-accent! bg-accent-soft! text-accent!',
      )}
    >
      <option value="">{name}</option>
      {!isKnown && value !== undefined && <option value={value}>{value}</option>}
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.name}
        </option>
      ))}
    </Select>
  )
}
