import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { type ComponentType, type ReactNode, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { cx } from './cx.ts'

/** What every dialog gets from the component that opens it. */
export interface DialogState {
  open: boolean
  onClose: () => void
}

/** The state of a dialog that is closed at first, and what opens it. */
export function useDialog(): { dialog: DialogState; show: () => void } {
  const [open, setOpen] = useState(false)
  return { dialog: { open, onClose: () => setOpen(false) }, show: () => setOpen(true) }
}

interface Heading {
  title: string
  about?: ReactNode
  wide?: boolean
}

interface DialogProps extends DialogState, Heading {
  children: ReactNode
}

/** The focus goes to the first field; without one, to Cancel. */
const FIRST = ['[data-first]', 'input, select, textarea', '[data-footer] button']

/** A modal dialog: it has the focus, Escape closes it, and the focus returns. */
export function Dialog({ open, onClose, title, about, wide = false, children }: DialogProps) {
  const popup = useRef<HTMLDivElement>(null)
  const first = () =>
    FIRST.map((selector) => popup.current?.querySelector<HTMLElement>(selector)).find(Boolean) ??
    true
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/50 transition-opacity data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Base.Popup
          ref={popup}
          initialFocus={first}
          className={cx(
            'fixed top-1/2 left-1/2 z-50 flex max-h-[90dvh] w-[calc(100vw-2rem)] -translate-1/2 scroll-pb-40 flex-col gap-4 overflow-y-auto overscroll-contain rounded-xl border border-line bg-raised p-5 shadow-xl transition data-ending-style:scale-98 data-ending-style:opacity-0 data-starting-style:scale-98 data-starting-style:opacity-0',
            wide ? 'max-w-3xl' : 'max-w-lg',
          )}
        >
          <div className="flex items-start justify-between gap-4">
            <div>
              <Base.Title className="text-base font-semibold">{title}</Base.Title>
              {about && <Base.Description className="mt-1 text-muted">{about}</Base.Description>}
            </div>
            <Base.Close aria-label="Close" className="rounded-md p-1 text-muted hover:bg-sunken">
              <X className="size-4" />
            </Base.Close>
          </div>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

/** Returns a dialog with a content that begins anew each time it is opened. */
export const dialogOf = <P extends DialogState>(
  Content: ComponentType<P>,
  headingOf: (props: P) => Heading,
) =>
  function ContentDialog(props: P) {
    return (
      <Dialog open={props.open} onClose={props.onClose} {...headingOf(props)}>
        {props.open && <Content {...props} />}
      </Dialog>
    )
  }

interface DialogFooterProps {
  /** Closes the dialog without the action. */
  onCancel: () => void
  cancel?: string
  /** The field to type in, and the error: they stay visible with the buttons. */
  above?: ReactNode
  /** The button of the action. */
  children?: ReactNode
}

/** The end of a dialog's form, which stays visible while the rest scrolls. */
export function DialogFooter({ onCancel, cancel = 'Cancel', above, children }: DialogFooterProps) {
  return (
    <div
      data-footer
      className="sticky -bottom-5 z-10 -mx-5 -mb-5 flex flex-col gap-3 rounded-b-xl border-t border-line bg-raised px-5 py-4"
    >
      {above}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onCancel}>{cancel}</Button>
        {children}
      </div>
    </div>
  )
}
