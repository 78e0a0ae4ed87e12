import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { comparisonQuery } from '#dashboard/web/api/copies.ts'
import type { SitePlace } from '#dashboard/web/api/sites.ts'
import { useEvents } from '#dashboard/web/api/use-events.ts'
import { DialogFooter } from '#dashboard/web/ui/dialog.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { OPERATION_TYPES } from '#shared/operation-types.ts'
import type { Comparison } from './choice.ts'

interface ComparingProps {
  live: SitePlace
  staging: SitePlace
  onClose: () => void
  children: (found: Comparison) => ReactNode
}

/** Compares both sites, and shows the result when it is there. */
export function Comparing({ live, staging, ...props }: ComparingProps) {
  const started = useQuery(comparisonQuery(live, staging.id))
  if (started.data === undefined) return <QueryState of={started} />
  return <Followed key={started.data} operation_id={started.data} {...props} />
}

const Compared = OPERATION_TYPES['site.compare'].outcome.result

type FollowedProps = Omit<ComparingProps, 'live' | 'staging'> & { operation_id: string }

function Followed({ operation_id, onClose, children }: FollowedProps) {
  const { events } = useEvents(`/api/operations/${operation_id}/events`)
  const end = events.find(({ event }) => event === 'complete' || event === 'error')
  const found = end?.event === 'complete' ? Compared.safeParse(end.data).data : undefined
  if (found) return children(found)
  return (
    <>
      {end ? (
        <Notice kind="bad" title="The sites could not be compared">
          {String(end.data.message ?? end.data.error ?? 'The result cannot be read')}
        </Notice>
      ) : (
        <p role="status" className="text-muted">
          Comparing files and tables of both sites. This takes some minutes for a large database…
        </p>
      )}
      <DialogFooter onCancel={onClose} />
    </>
  )
}
