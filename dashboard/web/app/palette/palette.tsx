import { Autocomplete } from '@base-ui/react/autocomplete'
import { Dialog } from '@base-ui/react/dialog'
import { LoaderCircle, Search } from 'lucide-react'
import { useState } from 'react'
import type { DialogState } from '#dashboard/web/ui/dialog.tsx'
import { Kbd } from '#dashboard/web/ui/kbd.tsx'
import type { Entry, Group } from './use-entries.ts'
import { useEntries } from './use-entries.ts'

interface PaletteProps extends DialogState {
  onHelp: () => void
}

/** Pages, servers, sites and actions by their names. */
export function Palette({ open, onClose, onHelp }: PaletteProps) {
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/50 transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Dialog.Popup className="fixed top-[12dvh] left-1/2 z-50 flex max-h-[min(34rem,76dvh)] w-[calc(100vw-1.5rem)] max-w-xl -translate-x-1/2 flex-col overflow-hidden rounded-xl border border-line-strong bg-raised shadow-2xl transition data-ending-style:opacity-0 data-starting-style:-translate-y-2 data-starting-style:opacity-0">
          <Dialog.Title className="sr-only">Search and commands</Dialog.Title>
          <Choices onClose={onClose} onHelp={onHelp} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Choices({ onClose, onHelp }: Omit<PaletteProps, 'open'>) {
  const [text, setText] = useState('')
  const { groups, busy } = useEntries(text.trim(), onHelp)
  const choose = (entry: Entry) => {
    onClose()
    entry.act()
  }
  return (
    <Autocomplete.Root
      open
      inline
      items={groups}
      filter={null}
      value={text}
      onValueChange={(value, { reason }) => reason !== 'item-press' && setText(value)}
      itemToStringValue={({ name }: Entry) => name}
      autoHighlight="always"
      keepHighlight
    >
      <div className="flex items-center gap-3 border-b border-line px-4">
        {busy ? (
          <LoaderCircle className="size-4 shrink-0 animate-spin text-muted" />
        ) : (
          <Search className="size-4 shrink-0 text-muted" />
        )}
        <Autocomplete.Input
          aria-label="Search pages, servers, sites and actions"
          placeholder="Search pages, servers, sites and actions"
          className="h-12 w-full bg-transparent text-base outline-none placeholder:text-muted"
        />
        <Dialog.Close className="rounded-md text-muted">
          <Kbd>Esc</Kbd>
          <span className="sr-only">: close</span>
        </Dialog.Close>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain">
        <Autocomplete.Empty className="px-4 text-muted [&:not(:empty)]:py-8">
          No results. Sites are found by a part of their domain.
        </Autocomplete.Empty>
        <Autocomplete.List className="p-2 empty:p-0">
          {(group: Group) => (
            <Autocomplete.Group key={group.value} items={group.items} className="not-last:mb-2">
              <Autocomplete.GroupLabel className="px-2 py-1.5 text-xs font-medium text-muted">
                {group.value}
              </Autocomplete.GroupLabel>
              <Autocomplete.Collection>
                {(entry: Entry) => <Choice key={entry.id} entry={entry} onChoose={choose} />}
              </Autocomplete.Collection>
            </Autocomplete.Group>
          )}
        </Autocomplete.List>
      </div>
    </Autocomplete.Root>
  )
}

function Choice({ entry, onChoose }: { entry: Entry; onChoose: (entry: Entry) => void }) {
  const { name, more, icon: Icon } = entry
  return (
    <Autocomplete.Item
      value={entry}
      onClick={() => onChoose(entry)}
      className="flex min-h-9 cursor-pointer scroll-my-2 items-center gap-3 rounded-lg px-2 py-1.5 outline-none data-highlighted:bg-accent-soft data-highlighted:text-accent"
    >
      <Icon className="size-4 shrink-0 text-muted" />
      <span className="min-w-0 flex-1 truncate font-medium">{name}</span>
      {more && <span className="max-w-[45%] truncate text-xs text-muted">{more}</span>}
    </Autocomplete.Item>
  )
}
