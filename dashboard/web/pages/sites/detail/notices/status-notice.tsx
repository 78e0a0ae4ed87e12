import { RotateCw, Undo2 } from 'lucide-react'
import type { Site } from '#dashboard/web/api/sites.ts'
import { useRetry } from '#dashboard/web/features/operations/use-actions.ts'
import { ACTIONS } from '#dashboard/web/features/sites/actions.ts'
import { useRestore } from '#dashboard/web/features/sites/use-restore.tsx'
import { useServerOffline } from '#dashboard/web/features/sites/use-server-offline.ts'
import { useShowOperation, useStart } from '#dashboard/web/features/sites/use-show-operation.ts'
import { useSiteAction } from '#dashboard/web/features/sites/use-site-action.ts'
import { Button, ButtonLink } from '#dashboard/web/ui/button.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { RightsAt } from '#dashboard/web/ui/rights.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { toastError } from '#dashboard/web/ui/toasts.tsx'
import { OPERATION_TYPES } from '#shared/operation-types.ts'

/** The meaning of a state other than active, and what can be done. */
export function StatusNotice({ site }: { site: Site }) {
  const { status, status_reason: reason } = site
  switch (status) {
    case 'provisioning':
      if (site.operation_id) return null
      return (
        <Notice kind="wait" title="The site is being created">
          No operation is running. The Activity tab shows the last one.
        </Notice>
      )
    case 'failed':
      return (
        <Notice
          kind="bad"
          title={reason || 'The site could not be created'}
          actions={<Retry site={site} />}
        >
          Changes on the server were undone. Correct the cause and retry, or delete the site.
        </Notice>
      )
    case 'cancelled':
      return (
        <Notice
          kind="info"
          title={reason || 'Its creation was cancelled'}
          actions={<Retry site={site} />}
        >
          Changes on the server were undone. Retry, or delete the site.
        </Notice>
      )
    case 'missing':
      if (site.found)
        return (
          <Notice kind="warn" title={reason || 'The site is no longer on its server'}>
            Its web server no longer serves it. When it does again, the next sync finds it.
          </Notice>
        )
      return (
        <Notice
          kind="bad"
          title={reason || 'The site is no longer on its server'}
          actions={
            <RightsAt server_id={site.server_id}>
              <ButtonLink
                needs="read"
                to="/servers/$server_id"
                params={{ server_id: String(site.server_id) }}
              >
                Open server
              </ButtonLink>
            </RightsAt>
          }
        >
          The agent no longer finds it: somebody removed it on the server. If it is restored there,
          the next sync finds it. Otherwise delete the site here.
        </Notice>
      )
    case 'suspended':
      return <Suspended site={site} />
    case 'trashed':
      return <Trashed site={site} />
    default:
      return reason ? <Notice kind="warn" title={reason} /> : null
  }
}

/** Retries the failed creation. */
function Retry({ site }: { site: Site }) {
  const failed = site.operations.find(
    ({ type, status }) =>
      (type === 'site.create' || type === 'site.clone') &&
      (status === 'failed' || status === 'cancelled'),
  )
  const { mutate, isPending } = useRetry(failed?.id ?? '', useShowOperation(site.id))
  return (
    failed && (
      <Button needs="operate" icon={<RotateCw />} busy={isPending} onClick={() => mutate(false)}>
        Retry
      </Button>
    )
  )
}

function Trashed({ site }: { site: Site }) {
  const start = useStart(site.id)
  const { restore, isPending, dialog } = useRestore(site, { start, onError: toastError })
  return (
    <Notice
      kind="warn"
      title={
        <>
          Moved to trash <Time at={site.trashed_at} />
        </>
      }
      actions={
        <>
          <Button needs="operate" icon={<Undo2 />} busy={isPending} onClick={restore}>
            Restore
          </Button>
          <ButtonLink to="/trash">Open trash</ButtonLink>
        </>
      }
    >
      {site.status_reason && <p>{site.status_reason}</p>}
      {dialog}
      Its files and its database are kept on {site.server}, and are permanently deleted{' '}
      <Time at={site.purge_at} none="later" />.
    </Notice>
  )
}

function Suspended({ site }: { site: Site }) {
  const isOffline = useServerOffline(site)
  const { run, isBusy } = useSiteAction(site)
  return (
    <Notice
      kind="warn"
      title="The site is suspended"
      actions={ACTIONS.filter(({ state }) => state === 'suspended').map(({ type, name }) => (
        <Button
          needs={OPERATION_TYPES[type].right}
          key={type}
          disabled={isOffline || isBusy}
          onClick={() => run(type)}
        >
          {name}
        </Button>
      ))}
    >
      Visitors see a page that says so, and its jobs do not run. Files, database and backups are
      unchanged.
    </Notice>
  )
}
