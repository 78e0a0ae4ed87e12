import { Archive, X } from 'lucide-react'
import { Button, IconButton } from '#dashboard/web/ui/button.tsx'
import { formatNumber } from '#dashboard/web/ui/format.ts'

interface SelectionBarProps {
  count: number
  onBackUp: () => void
  onClear: () => void
}

export const SelectionBar = ({ count, onBackUp, onClear }: SelectionBarProps) => (
  <section
    aria-label="Selected sites"
    className="sticky bottom-3 z-20 mx-auto my-3 flex w-fit items-center gap-1 rounded-xl border border-line-strong bg-raised p-2 shadow-lg"
  >
    <span role="status" className="px-2 font-medium tabular-nums">
      {formatNumber(count)} selected
    </span>
    <Button kind="quiet" icon={<Archive />} onClick={onBackUp}>
      Back up
    </Button>
    <IconButton name="Clear selection" icon={<X />} onClick={onClear} />
  </section>
)
