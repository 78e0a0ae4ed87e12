import { useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleCheck, TriangleAlert, X } from 'lucide-react'
import { useEffect } from 'react'
import { BACKUPS } from '#dashboard/web/api/backups.ts'
import { isActive, operationQuery } from '#dashboard/web/api/operations.ts'
import { type Site, siteQuery } from '#dashboard/web/api/sites.ts'
import { OperationLive } from '#dashboard/web/features/operations/operation-live.tsx'
import { AdminPassword } from '#dashboard/web/features/sites/access/admin-password.tsx'
import { useShowOperation } from '#dashboard/web/features/sites/use-show-operation.ts'
import { StagingAccess } from '#dashboard/web/pages/copies/access.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { cx } from '#dashboard/web/ui/cx.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'

interface CurrentOperationProps {
  site: Site
  /** The operation in the address: shown until the user hides it. */
  requested: string | undefined
}

/** The operation of the site, and after its creation the next step. */
export function CurrentOperation({ site, requested }: CurrentOperationProps) {
  const shown = requested ?? site.operation_id ?? undefined
  return shown === undefined ? null : (
    <Shown key={shown} id={shown} site={site} requested={requested} />
  )
}

function Shown({ id, site, requested }: CurrentOperationProps & { id: string }) {
  const client = useQueryClient()
  const { data } = useQuery(operationQuery(id))
  const hasEnded = data !== undefined && !isActive(data)
  // The page shows the previous state until it is requested again.
  useEffect(() => {
    if (!hasEnded) return
    void client.invalidateQueries({ queryKey: siteQuery(site.id).queryKey })
    void client.invalidateQueries({ queryKey: BACKUPS })
  }, [hasEnded, client, site.id])
  const show = useShowOperation(site.id)
  const isMade =
    hasEnded &&
    (data.type === 'site.create' || data.type === 'site.clone') &&
    data.status === 'success'
  return (
    <section aria-label="Operation" className="flex flex-col gap-3">
      {isMade && site.status === 'active' && (
        <Ready
          site={site}
          isCopy={data.type === 'site.clone'}
          hasWarnings={data.warnings.some(({ code }) => code.startsWith('certificate_'))}
        />
      )}
      {isMade && data.type === 'site.create' ? (
        <details
          // A warning has its reason there.
          open={data.warnings.length > 0}
          className="rounded-xl border border-line bg-surface"
        >
          <summary className="cursor-pointer px-4 py-3">Steps and log of the creation</summary>
          <OperationLive operation_id={id} onRetried={show} />
        </details>
      ) : (
        <OperationLive operation_id={id} onRetried={show} />
      )}
      {hasEnded && requested && (
        <Button kind="quiet" icon={<X />} onClick={() => show(undefined)} className="self-end">
          Hide log
        </Button>
      )}
    </section>
  )
}

interface ReadyProps {
  site: Site
  isCopy: boolean
  hasWarnings: boolean
}

/** Shown after a creation: how to log in, and whether HTTPS is missing. */
function Ready({ site, isCopy, hasWarnings }: ReadyProps) {
  const Icon = hasWarnings ? TriangleAlert : CircleCheck
  return (
    <div
      role="status"
      className={cx(
        'flex flex-col gap-4 rounded-xl border p-4',
        hasWarnings ? 'border-warn bg-warn-soft' : 'border-good bg-good-soft',
      )}
    >
      <p
        className={cx(
          'flex min-w-0 items-center gap-2 font-semibold',
          hasWarnings ? 'text-warn' : 'text-good',
        )}
      >
        <Icon className="size-5 shrink-0" />
        <span className="min-w-0 break-words">
          {unicodeOf(site.domain)} is ready{hasWarnings && ', without HTTPS'}
        </span>
      </p>
      {site.staging && <StagingAccess site={site} />}
      {isCopy ? (
        <p>
          The users and passwords of WordPress are those of the original. Everybody is signed out.
        </p>
      ) : (
        <AdminPassword site={site} />
      )}
    </div>
  )
}
