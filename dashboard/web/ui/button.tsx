import { createLink } from '@tanstack/react-router'
import { LoaderCircle } from 'lucide-react'
import type { AnchorHTMLAttributes, ComponentProps, ReactNode } from 'react'
import type { Right } from '#shared/kernel/rights.ts'
import { cx } from './cx.ts'
import { useMay } from './rights.tsx'

type ButtonKind = 'primary' | 'plain' | 'quiet' | 'danger'

const KINDS: Record<ButtonKind, string> = {
  primary: 'border-transparent bg-accent-solid text-white hover:brightness-110',
  plain: 'border-line bg-surface text-text hover:bg-sunken',
  quiet: 'border-transparent text-muted hover:bg-sunken hover:text-text',
  danger: 'border-transparent bg-bad-solid text-white hover:brightness-110',
}
const SHAPE =
  'inline-flex min-h-9 shrink-0 items-center justify-center gap-2 rounded-lg border px-3 py-1.5 text-sm font-medium whitespace-nowrap transition select-none disabled:opacity-55 [&_svg]:size-4 [&_svg]:shrink-0'

interface Looks {
  kind?: ButtonKind
  icon?: ReactNode
  /** The right that its action needs: without it, there is no button. */
  needs?: Right | undefined
}

interface ButtonProps extends Looks, ComponentProps<'button'> {
  /** Shows progress, and ignores further clicks. */
  busy?: boolean
}

type AnchorProps = Looks & AnchorHTMLAttributes<HTMLAnchorElement>

export function Button({ kind = 'plain', icon, busy = false, needs, ...props }: ButtonProps) {
  const { className, children, disabled, ...rest } = props
  const may = useMay()
  if (!may(needs)) return null
  return (
    <button
      type="button"
      {...rest}
      disabled={disabled || busy}
      aria-busy={busy}
      className={cx(SHAPE, KINDS[kind], className)}
    >
      {busy ? <LoaderCircle className="animate-spin" /> : icon}
      {children}
    </button>
  )
}

/** An icon button: its name is for screen readers, and shown on hover. */
export function IconButton({ name, ...props }: ButtonProps & { name: string }) {
  const { className, ...rest } = props
  return (
    <Button
      kind="quiet"
      aria-label={name}
      title={name}
      className={cx('px-2', className)}
      {...rest}
    />
  )
}

/** A link to another page or a file that looks like a button. */
export function ButtonAnchor({ kind = 'plain', icon, needs, ...props }: AnchorProps) {
  const { className, children, ...rest } = props
  const may = useMay()
  if (!may(needs)) return null
  return (
    <a {...rest} className={cx(SHAPE, KINDS[kind], className)}>
      {icon}
      {children}
    </a>
  )
}

/** A link within the pages that looks like a button. */
export const ButtonLink = createLink(ButtonAnchor)
