import type { Key, ReactNode } from 'react'
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

export interface Column<R> {
  name: string
  /** Only screen readers get the name. */
  isUnnamed?: boolean
  /** Stands in place of the name. */
  heading?: ReactNode
  /** The cells contain numbers: they are aligned right. */
  isNumber?: boolean
  /** The classes of the heading and the cells. */
  className?: string
  /** The classes of the cells alone. */
  cell?: string | ((row: R) => string)
  show: (row: R) => ReactNode
}

/**
 * A heading for screen readers alone. It is placed in its cell, so that the table clips it where it
 * scrolls; a table that were the place itself would clip the menus in its rows.
 */
const ScreenReaderName = ({ name }: { name: string }) => (
  <span className="relative">
    <span className="sr-only">{name}</span>
  </span>
)

interface RecordTableProps<R> {
  label: string
  columns: readonly Column<R>[]
  rows: readonly R[]
  keyOf: (row: R, index: number) => Key
  isStacked?: boolean
}

/** A table with a row for each record. */
export function RecordTable<R>({ columns, rows, keyOf, ...props }: RecordTableProps<R>) {
  return (
    <Table
      {...props}
      head={columns.map(({ name, heading = name, isUnnamed, isNumber, className }) => (
        <Head key={name} className={cx(isNumber && 'text-right', className)}>
          {isUnnamed ? <ScreenReaderName name={name} /> : heading}
        </Head>
      ))}
    >
      {rows.map((row, index) => (
        <tr key={keyOf(row, index)}>
          {columns.map(({ name, isNumber, className, cell, show }) => (
            <Cell
              key={name}
              className={cx(
                isNumber && 'text-right whitespace-nowrap tabular-nums',
                className,
                typeof cell === 'function' ? cell(row) : cell,
              )}
            >
              {show(row)}
            </Cell>
          ))}
        </tr>
      ))}
    </Table>
  )
}
