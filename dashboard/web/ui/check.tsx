import type { ReactNode } from 'react'
import type { Right } from '#shared/kernel/rights.ts'
import { useMay } from './rights.tsx'

interface CheckProps {
  /** The accessible name, such as `Select web-1`. */
  name: string
  checked: boolean
  /** Some of its items are selected. */
  mixed?: boolean
  onChange: (checked: boolean) => void
  /** The right of what can be done with a selection: without it, there is no checkbox. */
  needs?: Right
}

/** A checkbox with a large click area. */
export function Check({ name, checked, mixed = false, onChange, needs }: CheckProps) {
  const may = useMay()
  if (!may(needs)) return null
  return (
    <label className="-m-2 inline-flex cursor-pointer p-2">
      <input
        type="checkbox"
        aria-label={name}
        checked={checked}
        ref={(box) => {
          if (box) box.indeterminate = mixed
        }}
        onChange={(event) => onChange(event.target.checked)}
        className="size-4 cursor-pointer accent-accent-solid"
      />
    </label>
  )
}

interface CheckFieldProps extends Pick<CheckProps, 'checked' | 'onChange'> {
  label: ReactNode
  /** The explanation below the label. */
  about?: string
  disabled?: boolean
}

/** A checkbox with a visible label. */
export function CheckField({ label, about, onChange, ...props }: CheckFieldProps) {
  return (
    <label className="flex cursor-pointer items-start gap-2.5">
      <input
        {...props}
        type="checkbox"
        onChange={(event) => onChange(event.target.checked)}
        className="mt-0.5 size-4 shrink-0 accent-accent-solid"
      />
      <span>
        <span className={about && 'font-medium'}>{label}</span>
        {about && <span className="mt-1 block max-w-prose text-xs text-muted">{about}</span>}
      </span>
    </label>
  )
}
