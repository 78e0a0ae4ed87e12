import { Search } from 'lucide-react'
import { Kbd } from '#dashboard/web/ui/kbd.tsx'
import { PALETTE_KEYS } from './shortcuts.ts'

/** Opens the palette; shows the keys that do the same. */
export function SearchButton({ onOpen }: { onOpen: () => void }) {
  return (
    <button
      type="button"
      aria-keyshortcuts="Control+K Meta+K"
      onClick={onOpen}
      className="flex min-h-9 items-center gap-2 rounded-lg border border-transparent px-2 text-muted hover:bg-sunken sm:w-64 sm:border-line sm:bg-page sm:px-3"
    >
      <Search className="size-4 shrink-0" />
      <span className="sr-only text-left sm:not-sr-only sm:flex-1">Search</span>
      <span className="hidden gap-0.5 sm:flex" aria-hidden>
        {PALETTE_KEYS.map((key) => (
          <Kbd key={key}>{key}</Kbd>
        ))}
      </span>
    </button>
  )
}
