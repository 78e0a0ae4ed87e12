import { useMutation, useQueryClient } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { BACKUPS, refreshBackups } from '#dashboard/web/api/backups.ts'
import type { SitePlace } from '#dashboard/web/api/sites.ts'
import { refreshedText } from '#dashboard/web/features/backups/refreshed-text.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { toast, toastError } from '#dashboard/web/ui/toasts.tsx'

/** Reads what the storage really has, which takes some seconds. */
export function RefreshList({ site }: { site: SitePlace }) {
  const client = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationFn: () => refreshBackups(site),
    onSuccess: (changed) => toast(refreshedText(changed)),
    onError: toastError,
    onSettled: () => client.invalidateQueries({ queryKey: BACKUPS }),
  })
  return (
    <Button icon={<RefreshCw />} busy={isPending} onClick={() => mutate()}>
      Refresh list
    </Button>
  )
}
