import { X } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../ui/button.tsx'
import { Select } from '../../ui/field.tsx'
import { formatNumber } from '../../ui/format.ts'
import { BULK_ACTIONS, type BulkAction } from './bulk-actions.ts'
import { BulkDialog } from './bulk-dialog.tsx'

/** How many are selected, and what can be done to all of them. */
export function SelectionBar({ ids, onClear }: { ids: ReadonlySet<number>; onClear: () => void }) {
  const [action, setAction] = useState<BulkAction>()
  return (
    <section
      aria-label="Selected sites"
      className="sticky bottom-3 z-20 flex max-w-full items-center gap-1 self-center rounded-xl border border-line-strong bg-raised p-2 shadow-lg"
    >
      <span role="status" className="px-2 font-medium whitespace-nowrap tabular-nums">
        {formatNumber(ids.size)} selected
      </span>
      {BULK_ACTIONS.map((each) => (
        <Button
          key={each.type}
          kind="quiet"
          icon={<each.icon aria-hidden />}
          onClick={() => setAction(each)}
          className="max-md:hidden max-xl:[&>svg]:hidden"
        >
          {each.name}
        </Button>
      ))}
      <Select
        aria-label="What to do with them"
        value=""
        onChange={({ target }) => setAction(BULK_ACTIONS.find(({ type }) => type === target.value))}
        className="md:hidden"
      >
        <option value="">Do with them…</option>
        {BULK_ACTIONS.map(({ type, name }) => (
          <option key={type} value={type}>
            {name}
          </option>
        ))}
      </Select>
      <IconButton name="Select none" icon={<X aria-hidden />} onClick={onClear} />
      <BulkDialog
        action={action}
        ids={ids}
        onClose={() => setAction(undefined)}
        onBegun={onClear}
      />
    </section>
  )
}
