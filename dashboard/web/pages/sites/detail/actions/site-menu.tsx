import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ArrowRightLeft, CloudOff, CopyPlus, LogIn, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { dnsAccountsQuery, purgeCdn, purgePlanQuery } from '#dashboard/web/api/dns.ts'
import {
  cancelOperation,
  endOfOperation,
  isActive,
  operationQuery,
} from '#dashboard/web/api/operations.ts'
import type { SiteWork } from '#dashboard/web/api/site-call.ts'
import { deleteSite, planQuery, restoreSite } from '#dashboard/web/api/site-work.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { BeforeChange } from '#dashboard/web/features/backups/before-change.tsx'
import { CloneSite } from '#dashboard/web/features/copies/clone-site.tsx'
import { ACTIONS } from '#dashboard/web/features/sites/actions.ts'
import { isIn } from '#dashboard/web/features/sites/dns-lines.ts'
import { isWordpress } from '#dashboard/web/features/sites/urls.ts'
import { useServerOffline } from '#dashboard/web/features/sites/use-server-offline.ts'
import { useStart } from '#dashboard/web/features/sites/use-show-operation.ts'
import { useSiteAction } from '#dashboard/web/features/sites/use-site-action.ts'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import { MoveSite } from '#dashboard/web/pages/moves/move-site.tsx'
import { LoginDialog } from '#dashboard/web/pages/wordpress/login/login-dialog.tsx'
import { isDemo } from '#dashboard/web/ui/brand/demo.tsx'
import { type DialogState, dialogOf, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Menu, MenuItem } from '#dashboard/web/ui/menu.tsx'
import { useMay } from '#dashboard/web/ui/rights.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { toast, toastError } from '#dashboard/web/ui/toasts.tsx'
import { useFormCall } from '#dashboard/web/ui/use-call.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { OPERATION_TYPES } from '#shared/operation-types.ts'
import type { CdnPurge } from '#shared/sites/api/cdn-purge.ts'

/** What can be done to a managed site as a whole. */
export function SiteMenu({ site, isOnServer }: { site: Site; isOnServer: boolean }) {
  const { dialog, show } = useDialog()
  const cloning = useDialog()
  const login = useDialog()
  const moving = useDialog()
  const purging = useDialog()
  const may = useMay()
  const { data: accounts = [] } = useQuery({ ...dnsAccountsQuery, enabled: may('read', 'fleet') })
  const zones = accounts.flatMap((account) => account.zones)
  const isOffline = useServerOffline(site)
  const action = useSiteAction(site)
  const canDelete = isDeletable(site)
  if (!isOnServer && !canDelete) return null
  return (
    <>
      <Menu needs={['operate', 'secrets']} name={`More actions of ${unicodeOf(site.domain)}`}>
        {isOnServer &&
          ACTIONS.filter(({ state = site.status }) => state === site.status).map(
            ({ type, name, icon: Icon }) => (
              <MenuItem
                needs={OPERATION_TYPES[type].right}
                key={type}
                icon={<Icon />}
                disabled={isOffline || action.isBusy}
                onClick={() => action.run(type)}
              >
                {name}
              </MenuItem>
            ),
          )}
        {isOnServer && isIn(zones, site.domain) && (
          <MenuItem needs="operate" icon={<CloudOff />} onClick={purging.show}>
            Purge Cloudflare cache…
          </MenuItem>
        )}
        {isOnServer && isWordpress(site) && site.status !== 'suspended' && (
          <MenuItem
            needs="secrets"
            icon={<LogIn />}
            disabled={isOffline || isDemo}
            onClick={login.show}
          >
            Log in as…
          </MenuItem>
        )}
        {isOnServer && may('operate', 'servers') && (
          <MenuItem needs="operate" icon={<CopyPlus />} onClick={cloning.show}>
            Clone site…
          </MenuItem>
        )}
        {site.status === 'active' && may('operate', 'servers') && (
          <MenuItem
            needs="operate"
            icon={<ArrowRightLeft />}
            disabled={isOffline}
            onClick={moving.show}
          >
            Move to another server…
          </MenuItem>
        )}
        {canDelete && (
          <MenuItem needs="operate" icon={<Trash2 />} danger onClick={show}>
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

interface PurgeCloudflareProps extends DialogState {
  site: Site
}

/** The names that are purged, and the button. */
const PurgeCloudflare = dialogOf(PurgeForm, ({ site }) => ({
  title: `Purge the Cloudflare cache of ${unicodeOf(site.domain)}`,
  about: 'Cloudflare requests every page and file again when a visitor asks for it.',
}))

function PurgeForm({ site, onClose }: PurgeCloudflareProps) {
  const plan = useQuery(purgePlanQuery(site))
  const { form } = useFormCall(() => purgeCdn(site), {
    done: `The Cloudflare cache of ${unicodeOf(site.domain)} was purged.`,
    onDone: onClose,
    onClose,
  })
  const isEmpty = plan.data?.zones.length === 0
  return (
    <DialogForm
      action={isEmpty ? undefined : 'Purge Cloudflare cache'}
      cancel={isEmpty ? 'Close' : 'Cancel'}
      isBlocked={plan.data === undefined}
      {...form}
    >
      <QueryState of={plan} rows={2} />
      {plan.data && <Zones zones={plan.data.zones} />}
    </DialogForm>
  )
}

function Zones({ zones }: CdnPurge) {
  if (zones.length === 0)
    return (
      <p className="text-muted">
        No name of the site is proxied by Cloudflare, so the cache of Cloudflare has no page of it.
      </p>
    )
  return zones.map(({ zone, account, hosts }) => (
    <p key={zone} className="break-words">
      In the zone {unicodeOf(zone)} of {account}: {hosts.map(unicodeOf).join(', ')}
    </p>
  ))
}

const TEXTS = {
  /** The site is on its server. */
  trash: {
    about:
      'The site goes offline and moves to the trash. You can restore it from there until it is deleted automatically.',
    action: 'Move to trash',
  },
  /** The server has nothing of the site. */
  record: {
    about:
      'The site is removed from the dashboard at once. It does not go to the trash, because there is nothing on the server that could be restored.',
    action: 'Remove site',
  },
  /** The server has not answered yet, or is offline. */
  unknown: {
    about:
      'If the server still has files or a database of the site, they move to the trash. Otherwise the site is removed from the dashboard at once and cannot be restored.',
    action: 'Delete site',
  },
} as const

const PAUSE_MS = 3000

const RESULTS: Partial<Record<Site['status'], keyof typeof TEXTS>> = {
  active: 'trash',
  suspended: 'trash',
  failed: 'unknown',
  cancelled: 'unknown',
  missing: 'unknown',
}

const isDeletable = ({ status, found }: Site): boolean => !found && RESULTS[status] !== undefined

/** Moves a site to the trash where its server has something to restore. */
function DeleteSite({ site, ...dialog }: DialogState & { site: Site }) {
  const expected = RESULTS[site.status] ?? 'unknown'
  // The plan of the server shows whether something can be restored.
  const { data: plan } = useQuery({ ...planQuery(deleteSite(site)), subscribed: dialog.open })
  const result = plan ? (plan.steps.length > 0 ? 'trash' : 'record') : expected
  const { about, action } = TEXTS[result]
  const start = useTrash(site)
  const [without_backup, setWithout] = useState(false)
  return (
    <WorkDialog
      {...dialog}
      title={`Delete ${unicodeOf(site.domain)}?`}
      about={about}
      site={site}
      work={deleteSite(site, without_backup)}
      action={action}
      isDestructive
      isPermanent={result !== 'trash'}
      start={result === 'trash' ? start : undefined}
    >
      <BeforeChange
        site={site}
        label="Delete without a backup"
        checked={without_backup}
        onChange={setWithout}
      />
    </WorkDialog>
  )
}

/** Moves a site to the trash, and offers to undo it. */
function useTrash(site: Site) {
  const client = useQueryClient()
  const start = useStart(site.id)
  const { mutate } = useMutation({
    mutationFn: async (operation_id: string) => {
      const operation = await client.fetchQuery({ ...operationQuery(operation_id), staleTime: 0 })
      if (isActive(operation)) await cancelOperation(operation_id)
      else await start(restoreSite(site))
    },
    onError: toastError,
    onSettled: () => client.invalidateQueries({ queryKey: ['operations'] }),
  })
  return async (work: SiteWork) => {
    const operation = await start(work)
    if (operation === undefined) return
    // Until its end an undo is a cancellation: the deletion may wait for a backup.
    const end = endOfOperation(client, operation, PAUSE_MS)
    const undo = { name: 'Undo', act: () => mutate(operation), while: end }
    toast(`Moving ${unicodeOf(site.domain)} to the trash`, { undo })
  }
}
