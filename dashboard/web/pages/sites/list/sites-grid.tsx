import { useNavigate } from '@tanstack/react-router'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown, ArrowUp } from 'lucide-react'
import {
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import type { SitesFilter } from '#dashboard/web/api/sites.ts'
import type { Sort } from '#dashboard/web/features/sites/search.ts'
import { cx } from '#dashboard/web/ui/cx.ts'
import { placeOf, useMay } from '#dashboard/web/ui/rights.tsx'
import { Failure } from '#dashboard/web/ui/states.tsx'
import { COLUMNS, GRID } from './columns.tsx'
import { rowId, SiteRow } from './site-row.tsx'
import { usePages } from './use-sites.ts'

const ROW_PX = 44
const CARD_PX = 96
const OVERSCAN = 8

interface SitesGridProps {
  filter: SitesFilter
  total: number
  /** Another list is loading. */
  isChanging: boolean
  selected: ReadonlySet<number>
  onToggle: (id: number, isRange?: boolean) => void
  all: SelectAllProps
  order: Order
}

/** All matching sites as one table; only visible rows are drawn and requested. */
export function SitesGrid(props: SitesGridProps) {
  const isCard = !useMedia('(min-width: 48rem)')
  const height = isCard ? CARD_PX : ROW_PX
  return <Grid key={height} height={height} isCard={isCard} {...props} />
}

type GridProps = SitesGridProps & { height: number; isCard: boolean }

function Grid({ height, isCard, filter, total, selected, onToggle, ...props }: GridProps) {
  const { isChanging, all, order } = props
  const may = useMay()
  const body = useRef<HTMLTableSectionElement>(null)
  const top = useDocumentTop(body)
  useTopOnChange(filter, top)
  const rows = useWindowVirtualizer({
    count: total,
    estimateSize: () => height,
    overscan: OVERSCAN,
    scrollMargin: top,
    useFlushSync: false,
  }).getVirtualItems()
  const range = { first: rows[0]?.index ?? 0, last: rows.at(-1)?.index ?? 0 }
  const { siteAt, failed } = usePages(filter, range)
  const open = useOpen()
  const keys = useGridKeys({
    total,
    rowsInView: () => Math.floor((innerHeight - ABOVE_PX - BELOW_PX) / height),
    reveal: (index) => reveal(top + index * height, height),
    onOpen: (index) => open(siteAt(index)?.id),
    onToggle: (index) => {
      const site = siteAt(index)
      if (site && may('operate', placeOf(site))) onToggle(site.id)
    },
  })
  const onClick = (event: MouseEvent<HTMLElement>) => {
    const target = event.target instanceof Element ? event.target : undefined
    const row = target?.closest<HTMLElement>('[data-index]')
    if (row) keys.setActive(Number(row.dataset.index))
    const link = target?.closest<HTMLElement>('a[data-site]')
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    open(Number(link.dataset.site))
  }
  return (
    <div className="rounded-xl border border-line bg-surface">
      {failed && <Failure error={failed.error} onRetry={failed.refetch} />}
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: ARIA in HTML lets a table be a grid
        role="grid"
        tabIndex={0}
        aria-label="Sites"
        aria-rowcount={total + 1}
        aria-colcount={COLUMNS.length + 2}
        aria-multiselectable
        aria-busy={isChanging}
        aria-activedescendant={rowId(keys.active)}
        onKeyDown={keys.onKeyDown}
        onClick={onClick}
        className="group/grid block rounded-xl outline-none"
      >
        <thead
          className={cx('sticky top-14 z-10 block rounded-t-xl border-b border-line bg-surface')}
        >
          <Headings order={order} isCard={isCard} {...all} />
        </thead>
        <tbody ref={body} style={{ height: total * height }} className="relative block">
          {rows.map(({ index }) => {
            const site = siteAt(index)
            return (
              <SiteRow
                key={index}
                site={site}
                index={index}
                height={height}
                isCard={isCard}
                isActive={index === keys.active}
                isSelected={site !== undefined && selected.has(site.id)}
                onToggle={onToggle}
              />
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

function useOpen() {
  const navigate = useNavigate()
  return (id: number | undefined) => {
    if (id !== undefined) void navigate({ to: '/sites/$site_id', params: { site_id: String(id) } })
  }
}

/** Whether a media query matches. */
function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const media = matchMedia(query)
      media.addEventListener('change', listener)
      return () => media.removeEventListener('change', listener)
    },
    () => matchMedia(query).matches,
  )
}

/** The height of the sticky bar and headings above, and of the selection bar below. */
const ABOVE_PX = 56 + 41
const BELOW_PX = 72

/** The distance of an element from the top of the document, also after changes. */
function useDocumentTop(element: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    const measure = () => {
      const box = element.current?.getBoundingClientRect()
      if (box) setTop(Math.round(box.top + window.scrollY))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [element])
  return top
}

/** Another list starts at its top. */
function useTopOnChange(shown: unknown, top: number): void {
  const before = useRef(shown)
  useLayoutEffect(() => {
    if (before.current === shown) return
    before.current = shown
    const first = Math.max(0, top - ABOVE_PX)
    if (window.scrollY > first) window.scrollTo(0, first)
  }, [shown, top])
}

/** Scrolls only as far as needed to show a row. */
function reveal(top: number, height: number): void {
  const { scrollY, innerHeight } = window
  const lowest = scrollY + innerHeight - BELOW_PX
  if (top < scrollY + ABOVE_PX) window.scrollTo(0, top - ABOVE_PX)
  else if (top + height > lowest) window.scrollTo(0, scrollY + top + height - lowest)
}

interface Keys {
  total: number
  /** Returns the number of rows that PageUp and PageDown pass. */
  rowsInView: () => number
  /** Brings a row into view. */
  reveal: (index: number) => void
  onOpen: (index: number) => void
  onToggle: (index: number) => void
}

/** The row that the keyboard is on, and where each key leads. Space selects, Enter opens. */
function useGridKeys({ total, rowsInView, reveal, onOpen, onToggle }: Keys) {
  const [active, setActive] = useState(0)
  const last = Math.max(0, total - 1)
  const current = Math.min(active, last)
  const go = (index: number) => {
    setActive(index)
    reveal(index)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== event.currentTarget)
      return
    const next = rowOfKey(event.key, { current, last, page: rowsInView() })
    if (next !== undefined) go(next)
    else if (event.key === ' ') onToggle(current)
    else if (event.key === 'Enter') onOpen(current)
    else return
    if (next !== undefined && event.shiftKey) onToggle(next)
    event.preventDefault()
  }
  return { active: current, setActive, onKeyDown }
}

interface Position {
  current: number
  last: number
  page: number
}

/** The row that a key leads to; undefined for one that leads nowhere. */
function rowOfKey(key: string, { current, last, page }: Position): number | undefined {
  const rows = new Map([
    ['ArrowDown', current + 1],
    ['ArrowUp', current - 1],
    ['PageDown', current + page],
    ['PageUp', current - page],
    ['Home', 0],
    ['End', last],
  ])
  const row = rows.get(key)
  return row === undefined ? undefined : Math.max(0, Math.min(row, last))
}

interface Order {
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
function Headings({ order, isCard, ...box }: HeadingsProps) {
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

interface SelectAllProps {
  /** The part of the matching sites that is selected. */
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
  const may = useMay()
  if (!may('operate', 'anywhere')) return null
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
