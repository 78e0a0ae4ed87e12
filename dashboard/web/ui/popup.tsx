import { Popover } from '@base-ui/react/popover'
import { type ReactElement, type ReactNode, useState } from 'react'

interface PopupProps {
  /** What is in it: `Filters`. */
  name: string
  /** The button that opens it. */
  trigger: ReactElement
  open: boolean
  onOpen: (open: boolean) => void
  children: ReactNode
}

/** A small panel beside the button that opens it; Escape closes it, and the focus goes back. */
export function Popup({ name, trigger, open, onOpen, children }: PopupProps) {
  // It opens at its place in the document, for screen readers.
  const [place, setPlace] = useState<HTMLElement | null>(null)
  return (
    <Popover.Root open={open} onOpenChange={onOpen}>
      <span ref={setPlace} className="contents" />
      <Popover.Trigger render={trigger} />
      <Popover.Portal container={place}>
        <Popover.Positioner align="start" sideOffset={6} collisionPadding={8} className="z-30">
          <Popover.Popup
            aria-label={name}
            className="flex max-h-96 w-72 max-w-[calc(100vw-2rem)] flex-col overflow-y-auto overscroll-contain rounded-lg border border-line bg-raised p-1 shadow-lg outline-none"
          >
            {children}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

/** A line of a popup that can be pressed. */
export const POPUP_ITEM =
  'flex min-h-9 w-full cursor-pointer items-center gap-2.5 rounded-md px-2.5 text-left -outline-offset-2 hover:bg-sunken'
