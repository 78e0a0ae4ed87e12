import { Bookmark, Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { z } from 'zod'
import { Button, IconButton } from './button.tsx'
import { Input } from './field.tsx'
import type { Values } from './filter-bar.tsx'
import { POPUP_ITEM, Popup } from './popup.tsx'

interface SavedViewsProps {
  page: string
  values: Values
  onApply: (values: Values) => void
}

/** Names for addresses of this page, kept in this browser. */
export function SavedViews({ page, values, onApply }: SavedViewsProps) {
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
