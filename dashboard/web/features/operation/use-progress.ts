import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { knownPlan } from '#dashboard/web/api/known-plans.ts'
import { isActive } from '#dashboard/web/api/operations.ts'
import { useEvents } from '#dashboard/web/api/use-events.ts'
import type { OperationView } from '#shared/api/operations.ts'
import { type Step, stepsOf } from './steps.ts'

/** What an operation has said until now, and what that says of its steps. */
export function useCourse(operation: OperationView, given: readonly string[] | undefined) {
  const { id, status, cancel, error: failure, warnings } = operation
  const active = isActive(operation)
  const [known] = useState(() => knownPlan(id))
  const plan = given ?? known
  const { events, connection, error } = useEvents(`/api/operations/${id}/events`, !active)
  useNewsOfEnd(connection === 'ended' && active)
  const lines = useMemo(
    () => events.flatMap(({ event, data }) => (event === 'log' ? [String(data.message)] : [])),
    [events],
  )
  const steps = useMemo(() => {
    const end = status === 'queued' || status === 'running' ? undefined : status
    const warned = warnings.map(({ code }) => code)
    const told = { lines, plan, end, cancels: cancel !== null, warned }
    return stepsOf({ ...told, message: failure?.message })
  }, [lines, plan, status, cancel, warnings, failure?.message])
  return {
    connection,
    error,
    lines,
    steps,
    planned: plan !== undefined,
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
