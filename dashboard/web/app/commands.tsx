import { lazy, Suspense, useState } from 'react'
import { SearchButton } from './search-button.tsx'
import { useShortcuts } from './use-shortcuts.ts'

const Palette = lazy(async () => ({ default: (await import('./palette/palette.tsx')).Palette }))
const Help = lazy(async () => ({ default: (await import('./shortcut-help.tsx')).ShortcutHelp }))

type Open = 'palette' | 'help'

/** The palette and the list of keys, loaded when they are first opened. */
export function Commands() {
  const [open, setOpen] = useState<Open>()
  const [seen, setSeen] = useState<ReadonlySet<Open>>(new Set())
  const show = (what: Open) => {
    setSeen((old) => new Set(old).add(what))
    setOpen(what)
  }
  const close = () => setOpen(undefined)
  useShortcuts({ onPalette: () => show('palette'), onHelp: () => show('help') })
  return (
    <>
      <SearchButton onOpen={() => show('palette')} />
      <Suspense fallback={null}>
        {seen.has('palette') && (
          <Palette open={open === 'palette'} onClose={close} onHelp={() => show('help')} />
        )}
        {seen.has('help') && <Help open={open === 'help'} onClose={close} />}
      </Suspense>
    </>
  )
}
