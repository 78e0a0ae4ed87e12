import { useMutation } from '@tanstack/react-query'
import { type Site, takeAction } from '#dashboard/web/api/sites.ts'
import { ACTIONS } from '#dashboard/web/features/sites/actions.ts'
import { useServerOffline } from '#dashboard/web/features/sites/use-server-offline.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { toast, toastError } from '#dashboard/web/ui/toasts.tsx'
import type { SiteActionType } from '#shared/operation-types.ts'

export function Suspended({ site }: { site: Site }) {
  const isOffline = useServerOffline(site)
  const { mutate, isPending } = useMutation({
    mutationFn: (type: SiteActionType) => takeAction(site, type),
    onSuccess: (message) => toast(message),
    onError: toastError,
  })
  return (
    <Notice
      kind="warn"
      title="The site is suspended"
      actions={ACTIONS.filter(({ state }) => state === 'suspended').map(({ type, name }) => (
        <Button key={type} disabled={isOffline || isPending} onClick={() => mutate(type)}>
          {name}
        </Button>
      ))}
    >
      Visitors see a page that says so, and its jobs do not run. Files, database and backups are
      unchanged.
    </Notice>
  )
}
