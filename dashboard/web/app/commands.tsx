import { Search } from 'lucide-react'
import { Suspense, useState } from 'react'
import { Kbd } from '#dashboard/web/ui/kbd.tsx'
import { lazyDialog } from './lazy-page.ts'
import { PALETTE_KEYS } from './shortcuts.ts'
import { useShortcuts } from './use-shortcuts.ts'

const Palette = lazyDialog(
  async () => (await import('#dashboard/web/app/palette/palette.tsx')).Palette,
)
const Help = lazyDialog(async () => (await import('./shortcut-help.tsx')).ShortcutHelp)

type Open = 'palette' | 'help'

/** The palette and the list of keys, loaded when they are first opened. */
export function Commands() {
  const [open, setOpen] = useState<Open>()
  const [loaded, setLoaded] = useState<ReadonlySet<Open>>(new Set())
  const show = (what: Open) => {
    setLoaded((old) => new Set(old).add(what))
    setOpen(what)
  }
  const close = () => setOpen(undefined)
  useShortcuts({ onPalette: () => show('palette'), onHelp: () => show('help') })
  return (
    <>
      <SearchButton onOpen={() => show('palette')} />
      <Suspense fallback={null}>
        {loaded.has('palette') && (
          <Palette open={open === 'palette'} onClose={close} onHelp={() => show('help')} />
        )}
        {loaded.has('help') && <Help open={open === 'help'} onClose={close} />}
      </Suspense>
    </>
  )
}

/** Opens the palette; shows the keys that do the same. */
function SearchButton({ onOpen }: { onOpen: () => void }) {
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
