interface CheckProps {
  /** What it chooses: `Select web-1`. */
  name: string
  checked: boolean
  /** Some of what it stands for is chosen, and some is not. */
  mixed?: boolean
  onChange: (checked: boolean) => void
}

/** A box to choose a row with; all around it can be hit. */
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
