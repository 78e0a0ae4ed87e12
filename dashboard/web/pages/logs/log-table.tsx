import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import type { LogLine } from '#dashboard/web/api/logs.ts'
import { cx } from '#dashboard/web/ui/cx.ts'
import { formatNumber, formatTime } from '#dashboard/web/ui/format.ts'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { LEVELS } from './names.ts'

/** A line, or how many lines of a fast log are not shown here. */
export type LogEntry = LogLine | { left_out: number }

const LINE_PX = 30

/** Newest first; only visible lines are drawn. */
export function LogTable({ lines, label }: { lines: readonly LogEntry[]; label: string }) {
  const view = useRef<HTMLDivElement>(null)
  const window = useVirtualizer({
    count: lines.length,
    getScrollElement: () => view.current,
    estimateSize: () => LINE_PX,
    overscan: 20,
  })
  return (
    <div
      ref={view}
      role="log"
      aria-label={label}
      aria-live="off"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="max-h-[32rem] min-h-24 overflow-y-auto border-t border-line"
    >
      <div className="relative" style={{ height: window.getTotalSize() }}>
        {window.getVirtualItems().map(({ index, start }) => (
          <div
            key={index}
            ref={window.measureElement}
            data-index={index}
            className="absolute inset-x-0 top-0 border-b border-line"
            style={{ transform: `translateY(${start}px)` }}
          >
            <Row of={lines[index]} />
          </div>
        ))}
      </div>
    </div>
  )
}

function Row({ of }: { of: LogEntry | undefined }) {
  if (!of) return null
  if ('left_out' in of) {
    return (
      <p className="bg-sunken px-4 py-1 text-xs text-muted">
        {formatNumber(of.left_out)} more lines are left out: the log is too fast to show all
      </p>
    )
  }
  const { name, tone } = LEVELS[of.level]
  return (
    <div className="flex flex-wrap items-start gap-x-3 gap-y-1 px-4 py-1 sm:flex-nowrap">
      <span className="w-40 shrink-0 text-xs leading-5 text-muted tabular-nums">
        {of.at === null ? 'without a time' : formatTime(of.at)}
      </span>
      <span className="w-16 shrink-0">
        <Badge tone={tone}>{of.status ?? name}</Badge>
      </span>
      <span
        className={cx(
          'min-w-0 flex-1 basis-full font-mono text-xs leading-5 break-words whitespace-pre-wrap sm:basis-0',
          of.level === 'fatal' && 'text-bad',
        )}
      >
        {of.text}
        {of.cut && <span className="text-muted"> … the rest of the line is left out</span>}
      </span>
    </div>
  )
}
