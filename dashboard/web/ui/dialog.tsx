import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from './cx.ts'

interface DialogProps {
  open: boolean
  onClose: () => void
  title: string
  about?: ReactNode
  wide?: boolean
  children: ReactNode
}

/** A window over the page: the focus is in it, Escape closes it, the focus goes back. */
export function Dialog({ open, onClose, title, about, wide = false, children }: DialogProps) {
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/50 transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Base.Popup
          className={cx(
            'fixed top-1/2 left-1/2 z-50 flex max-h-[90dvh] w-[calc(100vw-2rem)] -translate-1/2 flex-col gap-4 overflow-y-auto rounded-xl border border-line bg-raised p-5 shadow-xl transition data-ending-style:scale-98 data-ending-style:opacity-0 data-starting-style:scale-98 data-starting-style:opacity-0',
            wide ? 'max-w-3xl' : 'max-w-lg',
          )}
        >
          <div className="flex items-start justify-between gap-4">
            <div>
              <Base.Title className="text-base font-semibold">{title}</Base.Title>
              {about && <Base.Description className="mt-1 text-muted">{about}</Base.Description>}
            </div>
            <Base.Close aria-label="Close" className="rounded-md p-1 text-muted hover:bg-sunken">
              <X className="size-4" aria-hidden />
            </Base.Close>
          </div>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
