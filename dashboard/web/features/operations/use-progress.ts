import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { isActive } from '#dashboard/web/api/operations.ts'
import { useEvents } from '#dashboard/web/api/use-events.ts'
import type { OperationView } from '#shared/operations/api/operations.ts'
import { type Step, stepsOf } from './steps.ts'

/** The log lines, steps, result and connection of an operation; `now` is for screen readers. */
export function useProgress(operation: OperationView) {
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
