import { useMutation } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { type Site, takeAction } from '#dashboard/web/api/sites.ts'
import { ACTIONS } from '#dashboard/web/features/sites/actions.ts'
import { useServerOffline } from '#dashboard/web/pages/sites/detail/use-server-offline.ts'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Menu, MenuItem } from '#dashboard/web/ui/menu.tsx'
import { toast, toastError } from '#dashboard/web/ui/toasts.tsx'
import type { SiteActionType } from '#shared/operation-types/index.ts'
import { DeleteSite, isDeletable } from './delete-site.tsx'

/** What can be done to a managed site as a whole. */
export function SiteMenu({ site, isOnServer }: { site: Site; isOnServer: boolean }) {
  const { dialog, show } = useDialog()
  const isOffline = useServerOffline(site)
  const { mutate, isPending } = useMutation({
    mutationFn: (type: SiteActionType) => takeAction(site, type),
    onSuccess: (message) => toast(message),
    onError: toastError,
  })
  const canDelete = isDeletable(site)
  if (!isOnServer && !canDelete) return null
  return (
    <>
      <Menu name={`More actions of ${site.domain}`}>
        {isOnServer &&
          ACTIONS.map(({ type, name, icon: Icon }) => (
            <MenuItem
              key={type}
              icon={<Icon />}
              disabled={isOffline || isPending}
              onClick={() => mutate(type)}
            >
              {name}
            </MenuItem>
          ))}
        {canDelete && (
          <MenuItem icon={<Trash2 />} danger onClick={show}>
            Delete site…
          </MenuItem>
        )}
      </Menu>
      <DeleteSite site={site} {...dialog} />
    </>
  )
}
