import { memo } from 'react'
import { OperationAction } from '#dashboard/web/features/operations/actions.tsx'
import { operationTitle } from '#dashboard/web/labels/operation.ts'
import { Check } from '#dashboard/web/ui/check.tsx'
import { cx } from '#dashboard/web/ui/cx.ts'
import { Elapsed } from '#dashboard/web/ui/elapsed.tsx'
import { OperationStatus } from '#dashboard/web/ui/operation-status.tsx'
import { OperationLink } from '#dashboard/web/ui/record-links.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { unicodeIn } from '#shared/kernel/unicode-domain.ts'
import type { OperationView } from '#shared/operations/api/operations.ts'

interface RowProps {
  operation: OperationView
  selected: boolean
  /** The same function each time, so that rows that have not changed stay as they are. */
  onSelect: (id: string, selected: boolean) => void
}

/** One operation in a list; memoised, so that only changed rows are drawn again. */
export const Row = memo(function Row({ operation, selected, onSelect }: RowProps) {
  const { id, server, actor, created_at, started_at, finished_at } = operation
  const title = operationTitle(operation)
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)_auto] [contain-intrinsic-size:auto_3.5rem] [content-visibility:auto] items-center gap-x-3 gap-y-1 px-4 py-2.5 lg:grid-cols-[auto_6.5rem_minmax(14rem,1fr)_minmax(0,1.2fr)_6.5rem_2.25rem] lg:*:row-start-1">
      <Check
        name={`Select ${title}`}
        checked={selected}
        onChange={(checked) => onSelect(id, checked)}
      />
      <span className="col-span-2 col-start-2 row-start-2 flex flex-wrap items-center gap-2 lg:col-span-1">
        <OperationStatus of={operation} />
        <span className="text-xs text-muted lg:hidden">
          <Elapsed since={started_at ?? created_at} until={finished_at} />
        </span>
      </span>
      <div className="col-start-2 row-start-1 min-w-0 lg:col-start-3">
        <OperationLink id={id} className="font-medium break-words hover:underline">
          {title}
        </OperationLink>
        <p className="truncate text-xs text-muted">
          {server} · <Time at={created_at} /> · {actor ?? 'System'}
        </p>
      </div>
      <LastLine {...operation} />
      <span className="col-start-5 hidden text-right text-muted lg:block">
        <Elapsed since={started_at ?? created_at} until={finished_at} />
      </span>
      <div className="col-start-3 row-start-1 -mr-2 justify-self-end lg:col-start-6">
        <OperationAction operation={operation} title={title} />
      </div>
    </li>
  )
})

/** Its last log line, or why it waits or failed. */
function LastLine({ error, warnings, last_line, cancel, finished_at }: OperationView) {
  const active = finished_at === null
  const [warning] = warnings
  return (
    <p
      className={cx(
        'col-span-2 col-start-2 row-start-3 text-xs lg:col-span-1 lg:col-start-4',
        error || warning ? 'line-clamp-2 break-words' : 'truncate text-muted',
        warning && 'text-warn!',
        error !== null && (active ? 'text-warn' : 'text-bad'),
      )}
    >
      {active && cancel !== null && 'Cancelling. '}
      {unicodeIn((error ? (error.message ?? error.error) : (warning?.message ?? last_line)) ?? '')}
    </p>
  )
}
