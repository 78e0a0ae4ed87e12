import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { PLACES } from './navigation.ts'
import { areOn } from './shortcuts.ts'

/** How long after `g` the other key may be pressed. */
const PAIR_MS = 1_500

interface Does {
  onPalette: () => void
  onHelp: () => void
}

/** The keys that work on every page, but not while somebody types or a dialog is open. */
export function useShortcuts({ onPalette, onHelp }: Does): void {
  const navigate = useNavigate()
  const calls = useRef<Record<string, () => void>>({})
  calls.current = {
    [PALETTE]: onPalette,
    c: () => void navigate({ to: '/sites/new' }),
    '/': () => focusSearch() || onPalette(),
    '?': onHelp,
    ...Object.fromEntries(PLACES.map(({ key, to }) => [`g ${key}`, () => void navigate({ to })])),
  }
  useEffect(() => {
    const nameOf = namer()
    const onKeyDown = (event: KeyboardEvent) => {
      const call = calls.current[nameOf(event) ?? '']
      if (!call) return
      event.preventDefault()
      call()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
}

const PALETTE = 'palette'

/** The pressed keys, as the shortcuts are named: `c`, or `g s` for two keys in a row. */
function namer(): (event: KeyboardEvent) => string | undefined {
  let first = { key: '', at: 0 }
  return (event) => {
    if (isPalette(event)) return PALETTE
    if (!isForUs(event)) return undefined
    const { key, timeStamp: at } = event
    const isSecond = first.key === 'g' && at - first.at < PAIR_MS
    first = { key: isSecond ? '' : key, at }
    return isSecond ? `g ${key}` : key
  }
}

const isPalette = ({ ctrlKey, metaKey, altKey, shiftKey, key }: KeyboardEvent): boolean =>
  (ctrlKey || metaKey) && !altKey && !shiftKey && key.toLowerCase() === 'k'

function isForUs({ ctrlKey, metaKey, altKey, repeat, defaultPrevented, target }: KeyboardEvent) {
  if (ctrlKey || metaKey || altKey || repeat || defaultPrevented || !areOn()) return false
  if (document.querySelector('[role=dialog]:not([aria-modal=false]), [role=alertdialog]'))
    return false
  const types = 'input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]'
  return !(target instanceof Element && target.closest(types))
}

/** False if this page has no search field. */
function focusSearch(): boolean {
  const input = document.querySelector<HTMLInputElement>('main input[type=search]')
  input?.focus()
  input?.select()
  return input !== null
}
