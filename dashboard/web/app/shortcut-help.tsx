import { useState } from 'react'
import { Dialog } from '#dashboard/web/ui/dialog.tsx'
import { Kbd } from '#dashboard/web/ui/kbd.tsx'
import { areOn, SHORTCUTS, turn } from './shortcuts.ts'

interface ShortcutHelpProps {
  open: boolean
  onClose: () => void
}

/** The keys that work on every page. */
export function ShortcutHelp({ open, onClose }: ShortcutHelpProps) {
  const [on, setOn] = useState(areOn)
  const change = (next: boolean) => {
    turn(next)
    setOn(next)
  }
  return (
    <Dialog open={open} onClose={onClose} title="Keyboard shortcuts">
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-6 gap-y-2">
        {SHORTCUTS.map(({ keys, does }) => (
          <div key={does} className="contents">
            <dt className="flex gap-1">
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label className="flex items-center gap-2 border-t border-line pt-4">
        <input
          type="checkbox"
          checked={on}
          onChange={(event) => change(event.target.checked)}
          className="size-4 accent-accent-solid"
        />
        Use the keys without {SHORTCUTS[0]?.keys[0]} in this browser
      </label>
    </Dialog>
  )
}
