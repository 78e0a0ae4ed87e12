import { Bookmark, Trash2 } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button, IconButton } from './button.tsx'
import { Input } from './field.tsx'
import type { Values } from './filter-bar.tsx'
import { POPUP_ITEM, Popup } from './popup.tsx'
import { isSameView, readViews, type View, writeViews } from './views.ts'

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
