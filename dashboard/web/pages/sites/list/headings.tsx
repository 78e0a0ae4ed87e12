import { ArrowDown, ArrowUp } from 'lucide-react'
import type { Sort } from '#dashboard/web/features/sites/search.ts'
import { cx } from '#dashboard/web/ui/cx.ts'
import { COLUMNS, GRID } from './columns.tsx'

export interface Order {
  sort: Sort
  isDescending: boolean
  onSort: (sort: Sort) => void
}

type HeadingsProps = SelectAllProps & {
  order: Order
  /** On a phone only the checkbox is visible. */
  isCard: boolean
}

/** The column headings; a click sorts, another one reverses the order. */
export function Headings({ order, isCard, ...box }: HeadingsProps) {
  return (
    <tr aria-rowindex={1} className={cx(isCard ? 'flex' : GRID, 'h-10 items-center text-xs')}>
      <th scope="col" className={isCard ? '' : 'flex justify-center'}>
        <SelectAll {...box} isNamed={isCard} />
      </th>
      <Heading name="Domain" by="domain" order={order} isCard={isCard} />
      {COLUMNS.map(({ name, sort, from }) => (
        <Heading key={name} name={name} by={sort} from={from} order={order} isCard={isCard} />
      ))}
    </tr>
  )
}

interface HeadingProps {
  name: string
  by: Sort | undefined
  from?: string | undefined
  order: Order
  isCard: boolean
}

function Heading({ name, by, from = 'flex', order, isCard }: HeadingProps) {
  const { sort, isDescending, onSort } = order
  const isSorted = by === sort
  const Arrow = isDescending ? ArrowDown : ArrowUp
  const direction = isDescending ? 'descending' : 'ascending'
  return (
    <th
      scope="col"
      aria-sort={isSorted ? direction : by && 'none'}
      className={cx(isCard ? 'sr-only' : from, 'min-w-0 pr-3 text-left font-medium text-muted')}
    >
      {!by && name}
      {by && (
        <button
          type="button"
          onClick={() => onSort(by)}
          className={cx('flex items-center gap-1 py-2 hover:text-text', isSorted && 'text-text')}
        >
          {name}
          {isSorted && <Arrow className="size-3.5" />}
        </button>
      )}
    </th>
  )
}

export interface SelectAllProps {
  /** How many of those that match are selected. */
  selected: 'all' | 'some' | 'none'
  onSelectAll: () => void
  isBusy: boolean
}

/** Selects every matching site, also those not loaded; again: none. `isNamed`: with a visible label. */
function SelectAll({
  selected,
  onSelectAll,
  isBusy,
  isNamed,
}: SelectAllProps & { isNamed: boolean }) {
  return (
    <label className="flex h-10 items-center gap-3 px-3 font-medium text-muted">
      <input
        type="checkbox"
        checked={selected === 'all'}
        ref={(box) => {
          if (box) box.indeterminate = selected === 'some'
        }}
        disabled={isBusy}
        onChange={onSelectAll}
        aria-label="Select all sites that match"
        className="size-4 accent-accent-solid"
      />
      {isNamed && 'Select all'}
    </label>
  )
}
