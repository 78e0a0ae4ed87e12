import { useMutation, useQueryClient } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { BACKUPS, refreshBackups } from '#dashboard/web/api/backups.ts'
import type { SitePlace } from '#dashboard/web/api/sites.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { formatCount } from '#dashboard/web/ui/format.ts'
import { toast, toastError } from '#dashboard/web/ui/toasts.tsx'
import type { RefreshedBackups } from '#shared/api/backup-list.ts'

/** Reads what the storage really has, which takes some seconds. */
export function RefreshList({ site }: { site: SitePlace }) {
  const client = useQueryClient()
  const { mutate, isPending } = useMutation({
    mutationFn: () => refreshBackups(site),
    onSuccess: (changed) => toast(textOf(changed)),
    onError: toastError,
    onSettled: () => client.invalidateQueries({ queryKey: BACKUPS }),
  })
  return (
    <Button icon={<RefreshCw />} busy={isPending} onClick={() => mutate()}>
      Refresh list
    </Button>
  )
}

function textOf({ gone, found }: RefreshedBackups): string {
  const parts = [
    gone > 0 && `${formatCount(gone, 'backup')} no longer stored`,
    found > 0 && `${formatCount(found, 'backup')} added`,
  ].filter((part) => part !== false)
  return parts.length === 0 ? 'The list is complete' : parts.join(', ')
}
