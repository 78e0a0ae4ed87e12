import { useMutation, useQuery } from '@tanstack/react-query'
import { ArrowRightLeft, CloudOff, CopyPlus, LogIn, Trash2 } from 'lucide-react'
import { dnsAccountsQuery } from '#dashboard/web/api/dns.ts'
import { type Site, takeAction } from '#dashboard/web/api/sites.ts'
import { CloneSite } from '#dashboard/web/features/copies/clone-site.tsx'
import { ACTIONS } from '#dashboard/web/features/sites/actions.ts'
import { isIn } from '#dashboard/web/features/sites/dns-lines.ts'
import { isWordpress } from '#dashboard/web/features/sites/urls.ts'
import { useServerOffline } from '#dashboard/web/features/sites/use-server-offline.ts'
import { MoveSite } from '#dashboard/web/pages/moves/move-site.tsx'
import { LoginDialog } from '#dashboard/web/pages/wordpress/login/login-dialog.tsx'
import { isDemo } from '#dashboard/web/ui/brand/demo.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Menu, MenuItem } from '#dashboard/web/ui/menu.tsx'
import { toast, toastError } from '#dashboard/web/ui/toasts.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import type { SiteActionType } from '#shared/operation-types.ts'
import { DeleteSite, isDeletable } from './delete-site.tsx'
import { PurgeCloudflare } from './purge-cloudflare.tsx'

/** What can be done to a managed site as a whole. */
export function SiteMenu({ site, isOnServer }: { site: Site; isOnServer: boolean }) {
  const { dialog, show } = useDialog()
  const cloning = useDialog()
  const login = useDialog()
  const moving = useDialog()
  const purging = useDialog()
  const { data: accounts = [] } = useQuery(dnsAccountsQuery)
  const zones = accounts.flatMap((account) => account.zones)
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
      <Menu name={`More actions of ${unicodeOf(site.domain)}`}>
        {isOnServer &&
          ACTIONS.filter(({ state = site.status }) => state === site.status).map(
            ({ type, name, icon: Icon }) => (
              <MenuItem
                key={type}
                icon={<Icon />}
                disabled={isOffline || isPending}
                onClick={() => mutate(type)}
              >
                {name}
              </MenuItem>
            ),
          )}
        {isOnServer && isIn(zones, site.domain) && (
          <MenuItem icon={<CloudOff />} onClick={purging.show}>
            Purge Cloudflare cache…
          </MenuItem>
        )}
        {isOnServer && isWordpress(site) && site.status !== 'suspended' && (
          <MenuItem icon={<LogIn />} disabled={isOffline || isDemo} onClick={login.show}>
            Log in as…
          </MenuItem>
        )}
        {isOnServer && (
          <MenuItem icon={<CopyPlus />} onClick={cloning.show}>
            Clone site…
          </MenuItem>
        )}
        {site.status === 'active' && (
          <MenuItem icon={<ArrowRightLeft />} disabled={isOffline} onClick={moving.show}>
            Move to another server…
          </MenuItem>
        )}
        {canDelete && (
          <MenuItem icon={<Trash2 />} danger onClick={show}>
            Delete site…
          </MenuItem>
        )}
      </Menu>
      <DeleteSite site={site} {...dialog} />
      <LoginDialog site={site} {...login.dialog} />
      <CloneSite site={site} {...cloning.dialog} />
      <MoveSite site={site} {...moving.dialog} />
      <PurgeCloudflare site={site} {...purging.dialog} />
    </>
  )
}
