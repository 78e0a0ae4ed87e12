import { cx } from '../../ui/cx.ts'
import { Select } from '../../ui/field.tsx'

export type Option = string | { value: string; name: string }

/** A plain text is its own name. */
export const optionsOf = (options: readonly Option[]) =>
  options.map((option) => (typeof option === 'string' ? { value: option, name: option } : option))

interface FilterSelectProps {
  name: string
  value: string | number | boolean | undefined
  options: readonly Option[]
  onChange: (value: string | undefined) => void
  className?: string
}

/** One of several, or any; it stands out while it narrows something down. */
export function FilterSelect({ name, value, options, onChange, className }: FilterSelectProps) {
  const chosen = value === undefined ? '' : String(value)
  const all = optionsOf(options)
  const isKnown = chosen === '' || all.some((option) => option.value === chosen)
  return (
    <Select
      aria-label={name}
      value={chosen}
      onChange={(event) => onChange(event.target.value || undefined)}
      className={cx(
        'md:w-auto!',
        chosen !== '' && 'border-accent! bg-accent-soft! text-accent!',
        className,
      )}
    >
      <option value="">{name}</option>
      {!isKnown && <option value={chosen}>{chosen}</option>}
      {all.map((option) => (
        <option key={option.value} value={option.value}>
          {option.name}
        </option>
      ))}
    </Select>
  )
}
