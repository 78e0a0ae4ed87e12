import { cx } from '#dashboard/web/ui/cx.ts'

interface ChoiceProps<T extends string> {
  label: string
  name: string
  value: T
  options: readonly { value: T; name: string; about: string }[]
  onChange: (value: T) => void
}

/** One of a few choices, each with an explanation. */
export function Choice<T extends string>({ label, name, value, ...props }: ChoiceProps<T>) {
  const { options, onChange } = props
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 font-medium">{label}</legend>
      <div className="grid gap-2">
        {options.map((option) => (
          <label
            key={option.value}
            className={cx(
              'flex cursor-pointer gap-2.5 rounded-lg border px-3 py-2 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent',
              option.value === value
                ? 'border-accent bg-accent-soft'
                : 'border-line-strong hover:bg-sunken',
            )}
          >
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
              aria-label={option.name}
              aria-describedby={`${name}-${option.value}`}
              className="mt-0.5 size-4 shrink-0 accent-accent-solid outline-none"
            />
            <span className="min-w-0">
              <span className="block font-medium">{option.name}</span>
              <span id={`${name}-${option.value}`} className="block text-xs text-muted">
                {option.about}
              </span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
