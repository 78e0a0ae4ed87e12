import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { isActive } from '#dashboard/web/api/operations.ts'
import { useEvents } from '#dashboard/web/api/use-events.ts'
import type { OperationView } from '#shared/api/operations.ts'
import { type Step, stepsOf } from './steps.ts'

/** What an operation has said until now, and what that says of its steps. */
export function useCourse(operation: OperationView) {
  const { id, status, cancel, warnings } = operation
  const active = isActive(operation)
  const { events, connection, error } = useEvents(
    `/api/operations/${id}/events?steps=true`,
    !active,
  )
  useNewsOfEnd(connection === 'ended' && active)
  const lines = useMemo(
    () => events.flatMap(({ event, data }) => (event === 'log' ? [String(data.message)] : [])),
    [events],
  )
  const steps = useMemo(() => {
    const end = status === 'queued' || status === 'running' ? undefined : status
    const warned = warnings.map(({ code }) => code)
    return stepsOf(events, { end, cancels: cancel !== null, warned })
  }, [events, status, cancel, warnings])
  return {
    connection,
    error,
    lines,
    steps,
    now: spoken(steps, status),
  }
}

/** The stream tells of the end first: then the records have the outcome. */
function useNewsOfEnd(isNews: boolean): void {
  const client = useQueryClient()
  useEffect(() => {
    if (isNews) void client.invalidateQueries()
  }, [isNews, client])
}

function spoken(steps: readonly Step[], status: OperationView['status']): string {
  if (status !== 'running' && status !== 'queued') return `The operation has ended: ${status}`
  return steps.findLast(({ state }) => state === 'running' || state === 'undoing')?.title ?? ''
}
