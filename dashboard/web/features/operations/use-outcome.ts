import type { z } from 'zod'
import { useEvents } from '#dashboard/web/api/use-events.ts'

/**
 * The result of an operation, or why there is none; neither while it runs. `unreadable`: the reason
 * for a result of another form.
 */
export function useOutcome<R>(operation_id: string, Result: z.ZodType<R>, unreadable: string) {
  const { events } = useEvents(`/api/operations/${operation_id}/events`)
  const end = events.find(({ event }) => event === 'complete' || event === 'error')
  if (!end) return {}
  const result = end.event === 'complete' ? Result.safeParse(end.data).data : undefined
  if (result !== undefined) return { result }
  return { problem: String(end.data.message ?? end.data.error ?? unreadable) }
}
