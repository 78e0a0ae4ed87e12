import { ArrowDown, ArrowUp } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from './cx.ts'

interface SortHeadProps {
  /** How it is sorted by this column now; undefined: by another. */
  order: 'asc' | 'desc' | undefined
  /** Called with the order that a click asks for. */
  onSort: (order: 'asc' | 'desc') => void
  /** The first order that a click gives: what is large may be what is looked for. */
  first?: 'asc' | 'desc'
  /** Its values end at the right. */
  numeric?: boolean
  className?: string
  children: ReactNode
}

/** The head of a column that a table can be sorted by. */
export function SortHead({ order, onSort, first = 'asc', ...looks }: SortHeadProps) {
  const { numeric = false, className, children } = looks
  const other = first === 'asc' ? 'desc' : 'asc'
  const Arrow = order === 'desc' ? ArrowDown : ArrowUp
  return (
    <th
      scope="col"
      aria-sort={order && (order === 'asc' ? 'ascending' : 'descending')}
      className={cx(
        'px-3 py-1 font-medium whitespace-nowrap first:pl-4 last:pr-4',
        numeric && 'text-right',
        className,
      )}
    >
      <button
        type="button"
        onClick={() => onSort(order === first ? other : first)}
        className={cx(
          'group -mx-1.5 inline-flex min-h-7 items-center gap-1 rounded-md px-1.5 hover:bg-sunken hover:text-text',
          numeric && 'flex-row-reverse',
        )}
      >
        {children}
        <Arrow aria-hidden className={cx('size-3', !order && 'opacity-0 group-hover:opacity-50')} />
      </button>
    </th>
  )
}
