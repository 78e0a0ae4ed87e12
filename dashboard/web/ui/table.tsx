import type { ReactNode } from 'react'
import { cx } from './cx.ts'

interface TableProps {
  /** Its name. */
  label: string
  head: ReactNode
  /** On a phone, the cells of a row stand below each other. */
  isStacked?: boolean
  children: ReactNode
}

const STACKED =
  'max-md:[&_td]:block max-md:[&_td]:px-4 max-md:[&_td]:py-1 max-md:[&_td]:text-left max-md:[&_thead]:sr-only max-md:[&_tr]:block max-md:[&_tr]:py-1.5'

/** A plain table that scrolls sideways where it does not fit. */
export function Table({ label, head, isStacked, children }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section aria-label={label} tabIndex={0} className="overflow-x-auto">
      <table className={cx('w-full text-left', isStacked && STACKED)}>
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
