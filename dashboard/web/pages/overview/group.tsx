import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from '#dashboard/web/ui/cx.ts'

const LOOKS = {
  critical: 'bg-bad-soft text-bad',
  warning: 'bg-warn-soft text-warn',
  info: 'bg-accent-soft text-accent',
} as const

interface GroupProps {
  icon: LucideIcon
  severity: keyof typeof LOOKS
  title: string
  /** Applies to all of the group. */
  action?: ReactNode
  /** One line for each item. */
  children: ReactNode
  /** The way to the rest. */
  footer?: ReactNode
}

export function Group({ icon: Icon, severity, title, action, children, footer }: GroupProps) {
  return (
    <div className="overflow-hidden rounded-xl border border-line bg-surface">
      <div className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-4 py-1.5">
        <span className={cx('rounded-md p-1.5', LOOKS[severity])}>
          <Icon className="size-4" />
        </span>
        <h3 className="flex-1 font-semibold">{title}</h3>
        {action}
      </div>
      <ul className="divide-y divide-line">{children}</ul>
      {footer && <div className="border-t border-line px-4 py-2 text-xs">{footer}</div>}
    </div>
  )
}

interface LineProps {
  name: ReactNode
  /** In full on hover where it does not fit. */
  reason: string
  at?: ReactNode
  action?: ReactNode
}

/** One incident in one line; on a phone the reason is below the name. */
export function Line({ name, reason, at, action }: LineProps) {
  return (
    <li className="flex min-h-11 flex-wrap items-center gap-x-3 px-4 py-1 max-sm:pt-2 sm:flex-nowrap">
      <span className="min-w-0 flex-1 truncate sm:max-w-2/5 sm:flex-none">{name}</span>
      <span
        title={reason}
        className="order-last w-full min-w-0 pb-1.5 text-muted sm:order-none sm:w-auto sm:flex-1 sm:truncate sm:pb-0"
      >
        {reason}
      </span>
      {at && <span className="text-xs whitespace-nowrap text-muted max-sm:hidden">{at}</span>}
      {action}
    </li>
  )
}
