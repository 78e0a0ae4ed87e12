import { Bookmark, Plus, Trash2, X } from 'lucide-react'
import { type FormEvent, type ReactNode, type Ref, useRef, useState } from 'react'
import { z } from 'zod'
import { Button, IconButton } from './button.tsx'
import { Input } from './field.tsx'
import { type Filter, FilterOptions } from './filter-options.tsx'
import { POPUP_ITEM, Popup } from './popup.tsx'

/** The parameters of the address of a page. */
export type Values = Readonly<Record<string, string | undefined>>

interface FilterBarProps {
  /** The page whose views are saved: `sites`. */
  page: string
  /** The search box, and what else is shown before the filters. */
  search?: ReactNode
  filters: readonly Filter[]
  values: Values
  /** Some of the values; undefined removes one. */
  onChange: (change: Values) => void
  children?: ReactNode
}

/** Parameters that order a list and do not filter it. */
const ORDER = ['sort', 'order']

/** Search, the filters that are set as chips, a button for further ones, and the saved views. */
export function FilterBar({ page, search, filters, values, onChange, children }: FilterBarProps) {
  const add = useRef<HTMLButtonElement>(null)
  const set = filters.filter(({ name }) => values[name] !== undefined)
  const narrowing = Object.keys(values).filter(
    (name) => values[name] !== undefined && !ORDER.includes(name),
  )
  const without = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, undefined]))
  const remove = (change: Values) => {
    onChange(change)
    // The button that had the focus is removed.
    add.current?.focus()
  }
  return (
    <search aria-label="Filters" className="flex flex-wrap items-center gap-2">
      {search}
      {set.map((filter) => (
        <FilterChip
          key={filter.name}
          filter={filter}
          value={values[filter.name] ?? ''}
          onChange={(value) =>
            value === undefined
              ? remove(without([filter.name]))
              : onChange({ [filter.name]: value })
          }
        />
      ))}
      <AddFilter ref={add} filters={filters} values={values} onChange={onChange} />
      {narrowing.length > 0 && (
        <Button kind="quiet" icon={<X />} onClick={() => remove(without(narrowing))}>
          Clear filters
        </Button>
      )}
      {children}
      <SavedViews
        page={page}
        values={values}
        onApply={(view) => onChange({ ...without(Object.keys(values)), ...view })}
      />
    </search>
  )
}

interface AddFilterProps extends Pick<FilterBarProps, 'filters' | 'values' | 'onChange'> {
  ref: Ref<HTMLButtonElement>
}

function AddFilter({ ref, filters, values, onChange }: AddFilterProps) {
  const [open, setOpen] = useState(false)
  const [picked, setPicked] = useState<string>()
  const filter = filters.find(({ name }) => name === picked)
  const free = filters.filter(({ name, isFixed }) => !isFixed && values[name] === undefined)
  const show = (isOpen: boolean) => {
    setOpen(isOpen)
    if (isOpen) setPicked(undefined)
  }
  return (
    <Popup
      name="Add filter"
      open={open}
      onOpen={show}
      trigger={
        <Button ref={ref} icon={<Plus />}>
          Filter
        </Button>
      }
    >
      {filter ? (
        <FilterOptions
          filter={filter}
          value={values[filter.name]}
          onChange={(value) => onChange({ [filter.name]: value })}
          onDone={() => setOpen(false)}
        />
      ) : (
        free.map(({ name, label }) => (
          <button key={name} type="button" className={POPUP_ITEM} onClick={() => setPicked(name)}>
            {label}
          </button>
        ))
      )}
    </Popup>
  )
}

interface FilterChipProps {
  filter: Filter
  value: string
  onChange: (value: string | undefined) => void
}

const PART = 'min-h-9 min-w-0 px-2.5 -outline-offset-2'

/** A filter that is set: pressed, it offers its values; the cross removes it. */
function FilterChip({ filter, value, onChange }: FilterChipProps) {
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

interface SavedViewsProps {
  page: string
  values: Values
  onApply: (values: Values) => void
}

/** Names for addresses of this page, kept in this browser. */
function SavedViews({ page, values, onApply }: SavedViewsProps) {
  const [open, setOpen] = useState(false)
  const [views, setViews] = useState(() => readViews(page))
  const change = (next: readonly View[]) => {
    setViews(next)
    writeViews(page, next)
  }
  const current = views.find((view) => isSameView(view.values, values))
  const canSave = !current && Object.values(values).some((value) => value !== undefined)
  return (
    <Popup
      name="Saved views"
      open={open}
      onOpen={setOpen}
      trigger={
        <Button kind="quiet" icon={<Bookmark />}>
          {current ? `View: ${current.name}` : 'Views'}
        </Button>
      }
    >
      <ul aria-label="Saved views">
        {views.map((view) => (
          <li key={view.name} className="flex">
            <button
              type="button"
              aria-current={view === current}
              className={`${POPUP_ITEM} min-w-0 break-words`}
              onClick={() => {
                onApply(view.values)
                setOpen(false)
              }}
            >
              {view.name}
            </button>
            <IconButton
              name={`Delete view ${view.name}`}
              icon={<Trash2 />}
              onClick={() => change(views.filter((each) => each !== view))}
            />
          </li>
        ))}
      </ul>
      {canSave && (
        <SaveView
          onSave={(name) =>
            change([...views.filter((view) => view.name !== name), { name, values }])
          }
        />
      )}
      {!canSave && views.length === 0 && (
        <p className="p-2.5 text-muted">Set filters to save them here under a name.</p>
      )}
    </Popup>
  )
}

function SaveView({ onSave }: { onSave: (name: string) => void }) {
  const [name, setName] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() === '') return
    onSave(name.trim())
    setName('')
  }
  return (
    <form onSubmit={submit} className="flex gap-2 p-1.5">
      <Input
        aria-label="Name of the view"
        placeholder="Name of the view"
        maxLength={60}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <Button type="submit">Save view</Button>
    </form>
  )
}

const View = z.object({ name: z.string(), values: z.record(z.string(), z.string()) })

/** The filters of a page under a name. */
interface View {
  name: string
  values: Readonly<Record<string, string | undefined>>
}

const keyOf = (page: string) => `views:${page}`

/** Empty if the browser has none, or none in the current format. */
function readViews(page: string): readonly View[] {
  try {
    return z.array(View).parse(JSON.parse(localStorage.getItem(keyOf(page)) ?? '[]'))
  } catch {
    return []
  }
}

function writeViews(page: string, views: readonly View[]): void {
  localStorage.setItem(keyOf(page), JSON.stringify(views))
}

function isSameView(one: View['values'], other: View['values']): boolean {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].every(
    (name) => one[name] === other[name],
  )
}
