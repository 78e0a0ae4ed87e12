import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import { cx } from '#dashboard/web/ui/cx.ts'
import { OperationLink, ServerLink, SiteLink } from '#dashboard/web/ui/record-links.tsx'
import { Status } from '#dashboard/web/ui/status.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import type { BulkItemView } from '#shared/operations/api/bulk-operations.ts'

const ROW_PX = 48

/** Only visible rows are drawn: there may be ten thousand. */
export function Items({ items }: { items: readonly BulkItemView[] }) {
  const view = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => view.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => items[index]?.position ?? index,
    overscan: 12,
  })
  return (
    <section
      ref={view}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label="Items"
      className="max-h-[32rem] overflow-y-auto"
    >
      <ul className="relative" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ key, index, start }) => {
          const item = items[index]
          return (
            item && (
              <li
                key={key}
                ref={rows.measureElement}
                data-index={index}
                aria-setsize={items.length}
                aria-posinset={index + 1}
                className={cx('absolute inset-x-0 top-0', index > 0 && 'border-t border-line')}
                style={{ transform: `translateY(${start}px)` }}
              >
                <Item item={item} />
              </li>
            )
          )
        })}
      </ul>
    </section>
  )
}

function Item({ item }: { item: BulkItemView }) {
  const { domain, site_id, server_id, status, operation_id, error } = item
  const TargetLink = site_id === null ? ServerLink : SiteLink
  return (
    <div className="grid min-h-12 grid-cols-[6.5rem_minmax(0,1fr)_auto] items-center gap-x-3 px-4 py-2">
      <span>
        <Status value={status} {...(status === 'waiting' && { tone: 'plain' })} />
      </span>
      <div className="min-w-0">
        <TargetLink id={site_id ?? server_id} className="font-medium break-words hover:underline">
          {unicodeOf(domain)}
        </TargetLink>
        {error && (
          <p
            className={cx('text-xs break-words', status === 'skipped' ? 'text-muted' : 'text-bad')}
          >
            {error.message ?? error.error}
          </p>
        )}
      </div>
      {operation_id !== null && (
        <OperationLink
          id={operation_id}
          aria-label={`Log of ${unicodeOf(domain)}`}
          className="text-xs font-medium text-accent hover:underline"
        >
          Log
        </OperationLink>
      )}
    </div>
  )
}
