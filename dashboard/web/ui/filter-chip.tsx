import { X } from 'lucide-react'
import { useState } from 'react'
import { type Filter, FilterOptions } from './filter-options.tsx'
import { Popup } from './popup.tsx'

interface FilterChipProps {
  filter: Filter
  value: string
  onChange: (value: string | undefined) => void
}

const PART = 'min-h-9 min-w-0 px-2.5 -outline-offset-2'

/** A filter that is set: pressed, it offers its values; the cross removes it. */
export function FilterChip({ filter, value, onChange }: FilterChipProps) {
  const [open, setOpen] = useState(false)
  const { label, options, isFixed } = filter
  const names = value
    .split(',')
    .map((each) => options.find((option) => option.value === each)?.name ?? each)
  const text = `${label}: ${names.join(', ')}`
  return (
    <span className="inline-flex max-w-full rounded-lg border border-accent bg-accent-soft text-accent">
      {isFixed ? (
        <span className={`${PART} flex items-center truncate`}>{text}</span>
      ) : (
        <Popup
          name={label}
          open={open}
          onOpen={setOpen}
          trigger={
            <button type="button" className={`${PART} cursor-pointer truncate rounded-l-lg`}>
              {text}
            </button>
          }
        >
          <FilterOptions
            filter={filter}
            value={value}
            onChange={onChange}
            onDone={() => setOpen(false)}
          />
        </Popup>
      )}
      <button
        type="button"
        aria-label={`Remove filter ${label}`}
        onClick={() => onChange(undefined)}
        className="rounded-r-lg border-l border-accent/30 px-2 -outline-offset-2"
      >
        <X className="size-4" />
      </button>
    </span>
  )
}
