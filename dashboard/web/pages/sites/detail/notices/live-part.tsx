import { useQuery, useQueryClient } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useEffect } from 'react'
import { isActive, operationQuery } from '#dashboard/web/api/operations.ts'
import { type Site, siteQuery } from '#dashboard/web/api/sites.ts'
import { OperationLive } from '#dashboard/web/features/operation/operation-live.tsx'
import { useShowOperation } from '#dashboard/web/features/sites/use-show-operation.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Ready } from './ready.tsx'

interface LivePartProps {
  site: Site
  /** In the address: shown until the user hides it. */
  asked: string | undefined
}

/** The operation of the site, and after its creation the next step. */
export function LivePart({ site, asked }: LivePartProps) {
  const shown = asked ?? site.operation_id ?? undefined
  return shown === undefined ? null : <Shown key={shown} id={shown} site={site} asked={asked} />
}

function Shown({ id, site, asked }: LivePartProps & { id: string }) {
  const client = useQueryClient()
  const { data } = useQuery(operationQuery(id))
  const hasEnded = data !== undefined && !isActive(data)
  // The page shows the previous state until it is requested again.
  useEffect(() => {
    if (hasEnded) void client.invalidateQueries({ queryKey: siteQuery(site.id).queryKey })
  }, [hasEnded, client, site.id])
  const show = useShowOperation(site.id)
  const isMade = hasEnded && data.type === 'site.create' && data.status === 'success'
  return (
    <section aria-label="Operation" className="flex flex-col gap-3">
      {isMade && site.status === 'active' && (
        <Ready
          site={site}
          hasWarnings={data.warnings.some(({ code }) => code.startsWith('certificate_'))}
        />
      )}
      <OperationLive operation_id={id} onRetried={show} />
      {hasEnded && asked && (
        <Button kind="quiet" icon={<X />} onClick={() => show(undefined)} className="self-end">
          Hide log
        </Button>
      )}
    </section>
  )
}
