import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { operationQuery } from '#dashboard/web/api/operations.ts'
import { operationTitle } from '#dashboard/web/labels/operation.ts'
import { cx } from '#dashboard/web/ui/cx.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Failure, Skeleton } from '#dashboard/web/ui/states.tsx'
import type { OperationView } from '#shared/api/operations.ts'
import { Actions } from './actions.tsx'
import { Log } from './log.tsx'
import { Notices } from './notices.tsx'
import { StepList } from './step-list.tsx'
import { Summary } from './summary.tsx'
import { useCourse } from './use-progress.ts'

interface OperationLiveProps {
  operation_id: string
  /** The page has a title for it. */
  untitled?: boolean
  /** Called with the id of a retry; by default its page is opened. */
  onRetried?: (operation_id: string) => void
}

/** One operation, live: steps, log, problems and actions. */
export function OperationLive({ operation_id, ...props }: OperationLiveProps) {
  const { data, error, refetch } = useQuery(operationQuery(operation_id))
  if (data) return <Live key={operation_id} operation={data} {...props} />
  return error ? <Failure error={error} onRetry={refetch} /> : <Skeleton rows={6} />
}

type LiveProps = Omit<OperationLiveProps, 'operation_id'> & { operation: OperationView }

function Live({ operation, untitled = false, onRetried }: LiveProps) {
  const navigate = useNavigate()
  const course = useCourse(operation)
  const hasSteps = course.steps.length > 0
  const lead = (operation_id: string) =>
    void navigate({ to: '/operations/$operation_id', params: { operation_id } })
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
          <Actions operation={operation} onRetried={onRetried ?? lead} />
        </div>
        <Notices operation={operation} connection={course.connection} />
        {course.error !== undefined && <Failure error={course.error} />}
        <div
          className={cx(
            'grid gap-6',
            hasSteps && '@3xl:grid-cols-[minmax(15rem,22rem)_minmax(0,1fr)]',
          )}
        >
          {hasSteps && <StepList steps={course.steps} />}
          <Log lines={course.lines} name={`${operation.type}-${operation.domain}`} />
        </div>
        <p role="status" className="sr-only">
          {course.now}
        </p>
      </div>
    </Card>
  )
}
