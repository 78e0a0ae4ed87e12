import { X } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../ui/button.tsx'
import { formatNumber } from '../../ui/format.ts'
import { BULK_ACTIONS, type BulkAction } from './bulk-actions.ts'
import { BulkDialog } from './bulk-dialog.tsx'

/** How many are selected, and what can be done to all of them. */
export function SelectionBar({ ids, onClear }: { ids: ReadonlySet<number>; onClear: () => void }) {
  const [action, setAction] = useState<BulkAction>()
  return (
    <section
      aria-label="Selected sites"
      className="sticky bottom-3 z-20 flex items-center gap-1 self-center rounded-xl border border-line-strong bg-raised p-2 shadow-lg max-md:flex-wrap max-md:justify-center"
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
          className="max-xl:[&>svg]:hidden"
        >
          {each.name}
        </Button>
      ))}
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
