import { useMutation, useQueryClient } from '@tanstack/react-query'
import { messageOf } from '#dashboard/web/api/client.ts'
import { endOfOperation } from '#dashboard/web/api/operations.ts'
import { syncServer } from '#dashboard/web/api/servers.ts'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import type { FleetServerDetail } from '#shared/overview/api/fleet.ts'

const PAUSE_MS = 500

/** Syncs and shows the result. */
export function useSync({ id, name }: Pick<FleetServerDetail, 'id' | 'name'>) {
  const client = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationFn: async () => endOfOperation(client, await syncServer(id), PAUSE_MS),
    onSuccess: ({ status, error }) => {
      if (status === 'success') return toast(`${name} is in sync`)
      toast(`${name} was not synced: ${error?.message ?? error?.error ?? status}`, { error: true })
    },
    onError: (error) => toast(`${name} was not synced: ${messageOf(error)}`, { error: true }),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: ['servers', id] })
      void client.invalidateQueries({ queryKey: ['fleet'] })
    },
  })
  return { sync: () => mutate(), isSyncing: isPending }
}
