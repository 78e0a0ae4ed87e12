import type { ReactNode } from 'react'
import { cx } from './cx.ts'

/** A plain table that scrolls sideways where it does not fit. `label` names it. */
export function Table({
  label,
  head,
  children,
}: {
  label: string
  head: ReactNode
  children: ReactNode
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section aria-label={label} tabIndex={0} className="overflow-x-auto">
      <table className="w-full text-left">
        <thead className="text-xs text-muted">
          <tr className="border-b border-line">{head}</tr>
        </thead>
        <tbody className="divide-y divide-line">{children}</tbody>
      </table>
    </section>
  )
}

interface CellProps {
  children?: ReactNode
  className?: string
}

export function Head({ children, className }: CellProps) {
  return (
    <th
      scope="col"
      className={cx('px-3 py-2 font-medium whitespace-nowrap first:pl-4 last:pr-4', className)}
    >
      {children}
    </th>
  )
}

export function Cell({ children, className }: CellProps) {
  return (
    <td className={cx('px-3 py-2.5 align-middle first:pl-4 last:pr-4', className)}>{children}</td>
  )
}
