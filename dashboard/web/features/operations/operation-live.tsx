import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Ban, Check, Circle, LoaderCircle, Minus, TriangleAlert, Undo2, X } from 'lucide-react'
import { useEffect, useMemo } from 'react'
import { isActive, operationQuery } from '#dashboard/web/api/operations.ts'
import { useEvents } from '#dashboard/web/api/use-events.ts'
import { operationTitle } from '#dashboard/web/labels/operation.ts'
import { cx } from '#dashboard/web/ui/cx.ts'
import { Elapsed } from '#dashboard/web/ui/elapsed.tsx'
import { OperationStatus } from '#dashboard/web/ui/operation-status.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { ProgressBar } from '#dashboard/web/ui/progress-bar.tsx'
import {
  OperationLink,
  ServerLink,
  SiteLink,
  useOpenOperation,
} from '#dashboard/web/ui/record-links.tsx'
import { Failure, QueryState } from '#dashboard/web/ui/states.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import type { StoredEvent } from '#shared/kernel/sse.ts'
import { StepChange } from '#shared/kernel/steps.ts'
import { unicodeIn, unicodeOf } from '#shared/kernel/unicode-domain.ts'
import type { OperationView } from '#shared/operations/api/operations.ts'
import { OperationAction } from './actions.tsx'
import { Addresses } from './addresses.tsx'
import { Log } from './log.tsx'
import { Notices } from './notices.tsx'

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

/** The log lines, steps, result and connection of an operation; `now` is for screen readers. */
function useProgress(operation: OperationView) {
  const { id, status, cancel, warnings } = operation
  const active = isActive(operation)
  const path = `/api/operations/${id}/events?steps=true`
  const { events, connection, error } = useEvents(path, !active)
  const client = useQueryClient()
  const isOutdated = connection === 'ended' && active
  useEffect(() => {
    // The stream reports the end before the records have the outcome.
    if (isOutdated) void client.invalidateQueries()
  }, [isOutdated, client])
  const lines = useMemo(
    () => events.flatMap(({ event, data }) => (event === 'log' ? [String(data.message)] : [])),
    [events],
  )
  const steps = useMemo(() => {
    const end = status === 'queued' || status === 'running' ? undefined : status
    const warned = warnings.map(({ code }) => code)
    return stepsOf(events, { end, cancels: cancel !== null, warned })
  }, [events, status, cancel, warnings])
  const result = useMemo(() => events.find(({ event }) => event === 'complete')?.data, [events])
  return { connection, error, lines, steps, result, now: announce(steps, status) }
}

function announce(steps: readonly Step[], status: OperationView['status']): string {
  if (status !== 'running' && status !== 'queued') return `The operation has ended: ${status}`
  return steps.findLast(({ state }) => state === 'running' || state === 'undoing')?.title ?? ''
}

const LINK = 'font-medium text-accent hover:underline'

/** Status, target, who started it and when, and its duration. */
function Summary({ operation }: { operation: OperationView }) {
  const { server, server_id, site_id, domain, actor, created_at, retry_of } = operation
  const { started_at, finished_at } = operation
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 text-muted">
      <OperationStatus of={operation} />
      <span>
        {site_id !== null && (
          <>
            <SiteLink id={site_id} className={LINK}>
              {unicodeOf(domain)}
            </SiteLink>{' '}
          </>
        )}
        on{' '}
        <ServerLink id={server_id} className={LINK}>
          {server}
        </ServerLink>
      </span>
      <span>
        {finished_at === null ? 'for ' : 'took '}
        <Elapsed since={started_at ?? created_at} until={finished_at} />
      </span>
      <span>
        started <Time at={created_at} /> by {actor ?? 'System'}
      </span>
      {retry_of !== null && (
        <OperationLink id={retry_of} className={LINK}>
          A retry
        </OperationLink>
      )}
    </div>
  )
}

const LOOKS = {
  waiting: { icon: Circle, className: 'text-muted', words: 'not started' },
  running: { icon: LoaderCircle, className: 'text-accent animate-spin', words: 'running' },
  done: { icon: Check, className: 'text-good', words: 'done' },
  warned: { icon: TriangleAlert, className: 'text-warn', words: 'done, with a warning' },
  skipped: { icon: Minus, className: 'text-muted', words: 'not needed' },
  failed: { icon: X, className: 'text-bad', words: 'failed' },
  cancelled: { icon: Ban, className: 'text-muted', words: 'cancelled' },
  undoing: { icon: LoaderCircle, className: 'text-warn animate-spin', words: 'being undone' },
  undone: { icon: Undo2, className: 'text-warn', words: 'undone' },
  not_undone: { icon: TriangleAlert, className: 'text-bad', words: 'could not be undone' },
} as const satisfies Record<StepState, unknown>

/** The states whose words are visible; the icon shows the others. */
const NAMED: ReadonlySet<StepState> = new Set<StepState>([
  'warned',
  'skipped',
  'failed',
  'cancelled',
  'undoing',
  'undone',
  'not_undone',
])

function StepList({ steps }: { steps: readonly Step[] }) {
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <Progress steps={steps} />
      <ol aria-label="Steps" className="flex flex-col">
        {steps.map(({ name, title, state }) => (
          <li key={name} aria-current={state === 'running' ? 'step' : undefined}>
            <Line title={title} state={state} />
          </li>
        ))}
      </ol>
    </div>
  )
}

function Line({ title, state }: Omit<Step, 'name'>) {
  const { icon: Icon, className, words } = LOOKS[state]
  const isPale = state === 'waiting' || state === 'skipped'
  return (
    <div className="flex items-start gap-2.5 py-1">
      <Icon className={cx('mt-0.5 size-4 shrink-0', className)} />
      <span
        className={cx(
          'min-w-0 break-words',
          isPale && 'text-muted',
          state === 'running' && 'font-medium',
          state === 'undone' && 'line-through decoration-muted',
        )}
      >
        {unicodeIn(title)}
      </span>
      {NAMED.has(state) ? (
        <span className="ml-auto text-xs whitespace-nowrap text-muted">{words}</span>
      ) : (
        <span className="sr-only"> ({words})</span>
      )}
    </div>
  )
}

function Progress({ steps }: { steps: readonly Step[] }) {
  const ended = countEnded(steps)
  return (
    <div className="flex items-center gap-3">
      <ProgressBar label="Progress" total={steps.length} parts={{ good: ended }} />
      <span className="text-xs text-muted tabular-nums">
        {ended} of {steps.length}
      </span>
    </div>
  )
}

type StepState =
  | StepChange['state']
  /** Done, but its result is missing. */
  | 'warned'
  /** Ended because somebody cancelled the operation. */
  | 'cancelled'

export interface Step extends Omit<StepChange, 'state'> {
  state: StepState
}

interface OperationState {
  /** How the operation ended, when it has. */
  end?: 'success' | 'failed' | 'cancelled' | undefined
  /** A cancel request is running. */
  cancels?: boolean
  /** The codes of its warnings. */
  warned?: readonly string[] | undefined
}

/** The steps in the order in which they became known, each in the state that was reported last. */
export function stepsOf(
  events: readonly StoredEvent[],
  { end, cancels = false, warned = [] }: OperationState,
): Step[] {
  const steps = new Map<string, Step>()
  for (const { event, data } of events) {
    const change = event === 'step' ? StepChange.safeParse(data).data : undefined
    if (change) steps.set(change.name, change)
  }
  const isCancelled = end === undefined ? cancels : end === 'cancelled'
  const lacksCertificate = warned.some((code) => code.startsWith('certificate_'))
  return Array.from(steps.values(), (step) => {
    const state = end === undefined ? step.state : stateAtEnd(step.state)
    if (state === 'failed' && isCancelled) return { ...step, state: 'cancelled' }
    if (state === 'done' && lacksCertificate && step.name === CERTIFICATE)
      return { ...step, state: 'warned' }
    return { ...step, state }
  })
}

/** The step that requests a certificate. */
const CERTIFICATE = 'certificate'

/** Where the dashboard ended an operation, its agent reported no end of its steps. */
function stateAtEnd(state: StepState): StepState {
  if (state === 'running') return 'failed'
  return state === 'undoing' ? 'not_undone' : state
}

/** Returns the number of steps that have ended, with any result. */
const countEnded = (steps: readonly Step[]): number =>
  steps.filter(({ state }) => state !== 'waiting' && state !== 'running').length
