import { ArrowDown, ArrowUp } from 'lucide-react'
import type { ReactNode } from 'react'
import { cx } from './cx.ts'

interface SortHeadProps {
  /** The order by this column; undefined: another column sorts. */
  order: 'asc' | 'desc' | undefined
  /** Called with the requested order. */
  onSort: (order: 'asc' | 'desc') => void
  /** The order of the first click: large values may be more interesting. */
  first?: 'asc' | 'desc'
  /** Its values are aligned right. */
  numeric?: boolean
  className?: string
  children: ReactNode
}

/** The heading of a sortable column. */
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
        <Arrow className={cx('size-3', !order && 'opacity-0 group-hover:opacity-50')} />
      </button>
    </th>
  )
}
