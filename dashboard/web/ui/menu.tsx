import { Menu as Base } from '@base-ui/react/menu'
import { Ellipsis } from 'lucide-react'
import { type ReactElement, type ReactNode, useState } from 'react'
import type { Right } from '#shared/kernel/rights.ts'
import { IconButton } from './button.tsx'
import { cx } from './cx.ts'
import { useMay } from './rights.tsx'

interface MenuProps {
  /** Names the object: `More actions of web-1`. */
  name: string
  /** The button; default: one with an icon only. */
  button?: ReactElement
  /** The rights of which its actions need one: without any, there is no menu. */
  needs?: Right | readonly Right[]
  children: ReactNode
}

/** Further actions behind one button. */
export function Menu({ name, button, needs, children }: MenuProps) {
  // It opens at its place in the document, for screen readers.
  const [place, setPlace] = useState<HTMLElement | null>(null)
  const may = useMay()
  if (![needs].flat().some((right) => may(right))) return null
  return (
    <Base.Root>
      <span ref={setPlace} className="contents" />
      <Base.Trigger
        render={button ?? <IconButton name={name} kind="plain" icon={<Ellipsis />} />}
      />
      <Base.Portal container={place}>
        <Base.Positioner align="end" sideOffset={6} className="z-30">
          <Base.Popup className="min-w-48 rounded-lg border border-line bg-raised p-1 shadow-lg outline-none transition data-ending-style:opacity-0 data-starting-style:opacity-0">
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

interface MenuItemProps {
  icon: ReactNode
  /** It deletes something. */
  danger?: boolean
  disabled?: boolean
  /** The right that its action needs: without it, there is no item. */
  needs?: Right | undefined
  onClick: () => void
  children: ReactNode
}

export function MenuItem({ icon, danger = false, needs, children, ...props }: MenuItemProps) {
  const may = useMay()
  if (!may(needs)) return null
  return (
    <Base.Item
      {...props}
      className={cx(
        'flex min-h-9 cursor-pointer items-center gap-2.5 rounded-md px-2.5 outline-none select-none data-disabled:cursor-default data-disabled:opacity-55 data-highlighted:bg-sunken [&_svg]:size-4',
        danger && 'text-bad',
      )}
    >
      {icon}
      {children}
    </Base.Item>
  )
}
