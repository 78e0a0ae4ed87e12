import { useNavigate } from '@tanstack/react-router'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type MouseEvent, useRef, useSyncExternalStore } from 'react'
import type { SitesFilter } from '#dashboard/web/api/sites.ts'
import { cx } from '#dashboard/web/ui/cx.ts'
import { Failure } from '#dashboard/web/ui/states.tsx'
import { COLUMNS } from './columns.tsx'
import { Headings, type Order, type SelectAllProps } from './headings.tsx'
import { ABOVE_PX, BELOW_PX, reveal, useDocumentTop, useTopOnChange } from './scroll-position.ts'
import { rowId, SiteRow } from './site-row.tsx'
import { useGridKeys } from './use-grid-keys.ts'
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
      if (site) onToggle(site.id)
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
