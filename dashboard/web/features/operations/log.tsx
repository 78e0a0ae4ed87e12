import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDownToLine, Download } from 'lucide-react'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { Button, IconButton } from '#dashboard/web/ui/button.tsx'
import { Copy } from '#dashboard/web/ui/copy.tsx'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import { saveText } from '#dashboard/web/ui/save-text.ts'

/** The lines of a log that is drawn completely, so that the search of the browser finds everything. */
const MAX_WHOLE = 300
const LINE_PX = 20

/** Every line; the end stays in view until the user scrolls up. */
export function Log({ lines, name }: { lines: readonly string[]; name: string }) {
  const view = useRef<HTMLDivElement>(null)
  const [follows, setFollows] = useState(true)
  useEffect(() => {
    if (follows && view.current && lines.length > 0) toEnd(view.current)
  }, [follows, lines])
  const text = () => `${lines.join('\n')}\n`
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex items-center gap-1">
        <span className="flex-1 text-xs text-muted tabular-nums">
          {formatNumber(lines.length)} {lines.length === 1 ? 'line' : 'lines'}
        </span>
        <Copy text={text} what="the log" />
        <IconButton
          name="Download the log"
          icon={<Download />}
          onClick={() => saveText(`${name}.log`, text())}
        />
      </div>
      <div className="relative">
        <div
          ref={view}
          role="log"
          aria-label="Log"
          aria-live="off"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          tabIndex={0}
          onScroll={({ currentTarget }) => setFollows(isAtEnd(currentTarget))}
          className="max-h-80 min-h-32 overflow-y-auto rounded-lg border border-line bg-sunken py-2 font-mono text-xs leading-5"
        >
          {lines.length > MAX_WHOLE ? (
            <Window lines={lines} view={view} />
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines only come at the end
            lines.map((line, at) => <Line key={at} at={at} text={line} />)
          )}
        </div>
        {!follows && (
          <Button
            className="absolute right-4 bottom-3 shadow-md"
            icon={<ArrowDownToLine />}
            onClick={() => setFollows(true)}
          >
            Follow
          </Button>
        )}
      </div>
    </div>
  )
}

interface WindowProps {
  lines: readonly string[]
  view: RefObject<HTMLDivElement | null>
}

/** Only visible lines are drawn. */
function Window({ lines, view }: WindowProps) {
  const window = useVirtualizer({
    count: lines.length,
    getScrollElement: () => view.current,
    estimateSize: () => LINE_PX,
    overscan: 20,
  })
  return (
    <div className="relative" style={{ height: window.getTotalSize() }}>
      {window.getVirtualItems().map(({ index, start }) => (
        <div
          key={index}
          ref={window.measureElement}
          data-index={index}
          className="absolute inset-x-0 top-0"
          style={{ transform: `translateY(${start}px)` }}
        >
          <Line at={index} text={lines[index] ?? ''} />
        </div>
      ))}
    </div>
  )
}

function Line({ at, text }: { at: number; text: string }) {
  return (
    <div className="flex gap-3 px-3">
      <span aria-hidden className="w-8 shrink-0 text-right text-muted tabular-nums select-none">
        {at + 1}
      </span>
      <span className="min-w-0 break-words whitespace-pre-wrap">{text}</span>
    </div>
  )
}

const isAtEnd = ({ scrollHeight, scrollTop, clientHeight }: HTMLElement): boolean =>
  scrollHeight - scrollTop - clientHeight < 2 * LINE_PX

function toEnd(view: HTMLElement): void {
  view.scrollTop = view.scrollHeight
}
