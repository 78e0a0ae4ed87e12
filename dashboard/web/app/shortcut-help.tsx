import { useState } from 'react'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import { Dialog, type DialogState } from '#dashboard/web/ui/dialog.tsx'
import { Kbd } from '#dashboard/web/ui/kbd.tsx'
import { useMay } from '#dashboard/web/ui/rights.tsx'
import { areOn, PALETTE_KEYS, shortcutsFor, turn } from './shortcuts.ts'

/** The keys that work on every page. */
export function ShortcutHelp({ open, onClose }: DialogState) {
  const [on, setOn] = useState(areOn)
  const may = useMay()
  const change = (next: boolean) => {
    turn(next)
    setOn(next)
  }
  return (
    <Dialog open={open} onClose={onClose} title="Keyboard shortcuts">
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-6 gap-y-2">
        {shortcutsFor(may).map(({ keys, does }) => (
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
      <div className="border-t border-line pt-4">
        <CheckField
          label={`Use the keys without ${PALETTE_KEYS[0]} in this browser`}
          checked={on}
          onChange={change}
        />
      </div>
    </Dialog>
  )
}
