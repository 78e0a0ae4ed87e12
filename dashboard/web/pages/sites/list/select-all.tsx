export interface SelectAllProps {
  /** How many of those that match are selected. */
  selected: 'all' | 'some' | 'none'
  onSelectAll: () => void
  isBusy: boolean
}

/** Selects every matching site, also those not loaded; again: none. */
export function SelectAll({ selected, onSelectAll, isBusy, isNamed }: SelectAllProps & Named) {
  return (
    <label className="flex h-10 items-center gap-3 px-3 font-medium text-muted">
      <input
        type="checkbox"
        checked={selected === 'all'}
        ref={(box) => {
          if (box) box.indeterminate = selected === 'some'
        }}
        disabled={isBusy}
        onChange={onSelectAll}
        aria-label="Select all sites that match"
        className="size-4 accent-accent-solid"
      />
      {isNamed && 'Select all'}
    </label>
  )
}

interface Named {
  /** With a visible label. */
  isNamed: boolean
}
