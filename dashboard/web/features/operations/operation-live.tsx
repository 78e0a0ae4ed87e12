import { useQuery } from '@tanstack/react-query'
import { operationQuery } from '#dashboard/web/api/operations.ts'
import { operationTitle } from '#dashboard/web/labels/operation.ts'
import { cx } from '#dashboard/web/ui/cx.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { useOpenOperation } from '#dashboard/web/ui/record-links.tsx'
import { Failure, QueryState } from '#dashboard/web/ui/states.tsx'
import type { OperationView } from '#shared/operations/api/operations.ts'
import { OperationAction } from './actions.tsx'
import { Addresses } from './addresses.tsx'
import { Log } from './log.tsx'
import { Notices } from './notices.tsx'
import { StepList } from './step-list.tsx'
import { Summary } from './summary.tsx'
import { useProgress } from './use-progress.ts'

interface OperationLiveProps {
  operation_id: string
  /** The page has a title for it. */
  untitled?: boolean
  /** Called with the id of a retry; by default its page is opened. */
  onRetried?: (operation_id: string) => unknown
}

/** One operation, live: steps, log, problems and actions. */
export function OperationLive({ operation_id, ...props }: OperationLiveProps) {
  const { data, error, refetch } = useQuery(operationQuery(operation_id))
  if (data) return <Live key={operation_id} operation={data} {...props} />
  return <QueryState of={{ data, error, refetch }} rows={6} />
}

type LiveProps = Omit<OperationLiveProps, 'operation_id'> & { operation: OperationView }

function Live({ operation, untitled = false, onRetried }: LiveProps) {
  const openOperation = useOpenOperation()
  const { steps, lines, connection, error, result, now } = useProgress(operation)
  const hasSteps = steps.length > 0
  return (
    <Card className="@container">
      <div className="flex flex-col gap-4">
        <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
          <div className="flex min-w-0 flex-col gap-1.5">
            {!untitled && (
              <h2 className="text-base font-semibold break-words">{operationTitle(operation)}</h2>
            )}
            <Summary operation={operation} />
          </div>
          <OperationAction operation={operation} onRetried={onRetried ?? openOperation} />
        </div>
        <Notices operation={operation} connection={connection} />
        {result && <Addresses result={result} />}
        {error !== undefined && <Failure error={error} />}
        <div
          className={cx(
            'grid gap-6',
            hasSteps && '@3xl:grid-cols-[minmax(15rem,22rem)_minmax(0,1fr)]',
          )}
        >
          {hasSteps && <StepList steps={steps} />}
          <Log lines={lines} name={`${operation.type}-${operation.domain}`} />
        </div>
        <p role="status" className="sr-only">
          {now}
        </p>
      </div>
    </Card>
  )
}
