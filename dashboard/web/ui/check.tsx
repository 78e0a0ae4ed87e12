interface CheckProps {
  /** Its name: `Select web-1`. */
  name: string
  checked: boolean
  /** Some of its items are selected. */
  mixed?: boolean
  onChange: (checked: boolean) => void
}

/** A checkbox with a large click area. */
export function Check({ name, checked, mixed = false, onChange }: CheckProps) {
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
