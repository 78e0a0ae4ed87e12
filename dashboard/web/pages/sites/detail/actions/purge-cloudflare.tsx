import { useMutation, useQuery } from '@tanstack/react-query'
import { purgeCdn, purgePlanQuery } from '#dashboard/web/api/dns.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { Dialog, type DialogState } from '#dashboard/web/ui/dialog.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import type { CdnPurge } from '#shared/sites/api/cdn-purge.ts'

interface PurgeCloudflareProps extends DialogState {
  site: Site
}

/** The names that are purged, and the button. */
export function PurgeCloudflare({ site, open, onClose }: PurgeCloudflareProps) {
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={`Purge the Cloudflare cache of ${unicodeOf(site.domain)}`}
      about="Cloudflare requests every page and file again when a visitor asks for it."
    >
      {open && <Form site={site} onClose={onClose} />}
    </Dialog>
  )
}

function Form({ site, onClose }: Omit<PurgeCloudflareProps, 'open'>) {
  const { data, error: problem, refetch } = useQuery(purgePlanQuery(site))
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => purgeCdn(site),
    onSuccess() {
      toast(`The Cloudflare cache of ${unicodeOf(site.domain)} was purged.`)
      onClose()
    },
  })
  const isEmpty = data?.zones.length === 0
  return (
    <DialogForm
      action={isEmpty ? undefined : 'Purge Cloudflare cache'}
      onSubmit={() => mutate()}
      onCancel={onClose}
      cancel={isEmpty ? 'Close' : 'Cancel'}
      isBlocked={data === undefined}
      isBusy={isPending}
      error={error}
    >
      <QueryState of={{ data, error: problem, refetch }} rows={2} />
      {data && <Zones zones={data.zones} />}
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
