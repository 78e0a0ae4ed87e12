import { CircleAlert, Clock, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from './cx.ts'

const LOOKS = {
  info: { icon: Info, className: 'bg-accent-soft text-accent' },
  wait: { icon: Clock, className: 'bg-warn-soft text-warn' },
  warn: { icon: TriangleAlert, className: 'bg-warn-soft text-warn' },
  bad: { icon: CircleAlert, className: 'bg-bad-soft text-bad' },
} as const

interface NoticeProps {
  kind: keyof typeof LOOKS
  title: ReactNode
  /** The meaning of the notice, and the remedy. */
  children?: ReactNode
  actions?: ReactNode
}

/** A message about the part of a page that contains it. */
export function Notice({ kind, title, children, actions }: NoticeProps) {
  const { icon: Icon, className } = LOOKS[kind]
  return (
    <div
      role={kind === 'bad' ? 'alert' : 'status'}
      className={cx('flex flex-wrap items-start gap-x-3 gap-y-2 rounded-lg px-4 py-3', className)}
    >
      <Icon className="mt-0.5 size-4 shrink-0" />
      <div className="min-w-0 flex-1 basis-60">
        <p className="font-medium break-words">{title}</p>
        {children && <div className="mt-0.5 break-words text-text">{children}</div>}
      </div>
      {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
    </div>
  )
}
