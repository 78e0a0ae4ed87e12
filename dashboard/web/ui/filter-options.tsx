import { Check } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { Input } from './field.tsx'
import { POPUP_ITEM } from './popup.tsx'

export interface Filter {
  /** Its name in the address. */
  name: string
  label: string
  options: readonly { value: string; name: string }[]
  /** Several values can be chosen: the address has them with commas between them. */
  isMany?: boolean
  /** Set by links of other pages; it can only be removed. */
  isFixed?: boolean
  /** The value is entered, and not one of the options. */
  input?: 'text' | 'date'
}

interface FilterOptionsProps {
  filter: Filter
  value: string | undefined
  onChange: (value: string | undefined) => void
  /** Called after the choice of a single value. */
  onDone: () => void
}

/** Longer lists have a search field. */
const MAX_WITHOUT_SEARCH = 12

export function FilterOptions(props: FilterOptionsProps) {
  return props.filter.input === undefined ? <Choices {...props} /> : <Entry {...props} />
}

function Entry({ filter: { label, input }, value, onChange, onDone }: FilterOptionsProps) {
  const [text, setText] = useState(value ?? '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() !== '') onChange(text.trim())
    onDone()
  }
  return (
    <form onSubmit={submit} className="flex gap-2 p-1.5">
      <Input
        autoFocus
        aria-label={label}
        placeholder={label}
        type={input}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <Button type="submit">Set filter</Button>
    </form>
  )
}

function Choices({ filter, value, onChange, onDone }: FilterOptionsProps) {
  const { label, options, isMany = false } = filter
  const [text, setText] = useState('')
  const place = useRef<HTMLFieldSetElement>(null)
  useEffect(() => place.current?.querySelector<HTMLElement>('input, button')?.focus(), [])
  const chosen = value?.split(',') ?? []
  const shown = options.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
  const toggle = (option: string) => {
    const rest = chosen.filter((each) => each !== option)
    onChange((rest.length < chosen.length ? rest : [...rest, option]).join(',') || undefined)
  }
  const choose = (option: string) => {
    onChange(option)
    onDone()
  }
  return (
    <fieldset ref={place} className="flex min-w-0 flex-col">
      <legend className="px-2.5 py-1.5 text-xs text-muted">{label}</legend>
      {options.length > MAX_WITHOUT_SEARCH && (
        <Input
          type="search"
          aria-label={`Search ${label}`}
          placeholder="Search"
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="mx-1 mb-1 w-auto!"
        />
      )}
      {shown.map((option) =>
        isMany ? (
          <label key={option.value} className={POPUP_ITEM}>
            <input
              type="checkbox"
              checked={chosen.includes(option.value)}
              onChange={() => toggle(option.value)}
              className="size-4 accent-accent-solid"
            />
            {option.name}
          </label>
        ) : (
          <button
            key={option.value}
            type="button"
            aria-pressed={option.value === value}
            onClick={() => choose(option.value)}
            className={POPUP_ITEM}
          >
            <span className="size-4">{option.value === value && <Check className="size-4" />}</span>
            {option.name}
          </button>
        ),
      )}
      {shown.length === 0 && <p className="px-2.5 py-2 text-muted">No match</p>}
    </fieldset>
  )
}
