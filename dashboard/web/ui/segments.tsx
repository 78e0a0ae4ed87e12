import type { ReactNode } from 'react'
import { cx } from './cx.ts'

interface SegmentsProps<T extends string> {
  /** The name of the choice: `Status`. */
  label: string
  choices: readonly { value: T; name: ReactNode }[]
  value: T
  onChange: (value: T) => void
}

/** One of a few choices, all visible. */
export function Segments<T extends string>({ label, choices, value, onChange }: SegmentsProps<T>) {
  return (
    <fieldset className="flex min-w-0 flex-wrap overflow-hidden rounded-lg border border-line-strong bg-surface">
      <legend className="sr-only">{label}</legend>
      {choices.map((choice) => (
        <button
          key={choice.value}
          type="button"
          aria-pressed={choice.value === value}
          onClick={() => onChange(choice.value)}
          className={cx(
            'min-h-9 border-l border-line px-2.5 text-sm whitespace-nowrap -outline-offset-2 first:border-l-0 sm:px-3',
            choice.value === value ? 'bg-accent-soft font-medium text-accent' : 'hover:bg-sunken',
          )}
        >
          {choice.name}
        </button>
      ))}
    </fieldset>
  )
}
