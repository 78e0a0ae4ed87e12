import { useMutation, useQueryClient } from '@tanstack/react-query'
import { messageOf } from '#dashboard/web/api/client.ts'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import { toast } from '#dashboard/web/ui/toasts.tsx'

const MAX_CONCURRENT = 4

/** Applies an action to many operations, a few at a time, and reports how many succeeded. */
export function useMany(done: string, act: (id: string) => Promise<unknown>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (ids: readonly string[]) => each(ids, act),
    onSuccess: (refusals, ids) => {
      const count = formatNumber(ids.length - refusals.length)
      const [first] = refusals
      if (first === undefined) return toast(`${count} ${done}`)
      const rest = `${formatNumber(refusals.length)} refused: ${first}`
      toast(`${count} ${done}, ${rest}`, { error: true })
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['operations'] }),
  })
}

export type Many = ReturnType<typeof useMany>

/** The messages of those that were refused. */
async function each(ids: readonly string[], act: (id: string) => Promise<unknown>) {
  const waiting = [...ids]
  const refusals: string[] = []
  const work = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift())
      await act(id).catch((error: unknown) => refusals.push(messageOf(error)))
  }
  await Promise.all(Array.from({ length: MAX_CONCURRENT }, work))
  return refusals
}
