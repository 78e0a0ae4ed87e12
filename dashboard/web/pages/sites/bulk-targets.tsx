import { useQuery } from '@tanstack/react-query'
import type { BulkType } from '#shared/api/bulk-operations.ts'
import { planBulk } from '../../api/bulk.ts'
import { formatNumber } from '../../ui/format.ts'

const SHOWN = 200

interface BulkTargetsProps {
  type: BulkType
  params: Record<string, unknown>
  ids: number[]
  isReady: boolean
}

/** What it will be done to, as the dashboard knows it now. */
export function BulkTargets({ type, params, ids, isReady }: BulkTargetsProps) {
  const { data } = useQuery({
    queryKey: ['bulk-targets', type, params, ids],
    queryFn: () => planBulk({ type, params, site_ids: ids }),
    enabled: isReady,
    refetchInterval: false,
    gcTime: 0,
  })
  const servers = new Set(data?.map(({ server_id }) => server_id)).size
  return (
    <details className="rounded-lg border border-line bg-sunken">
      <summary className="cursor-pointer px-3 py-2">
        Which sites
        {data && ` (${formatNumber(data.length)} on ${formatNumber(servers)} servers)`}
      </summary>
      <ul className="max-h-48 overflow-y-auto border-t border-line px-3 py-2 text-xs">
        {data?.slice(0, SHOWN).map(({ site_id, domain }) => (
          <li key={site_id} className="truncate">
            {domain}
          </li>
        ))}
        {data && data.length > SHOWN && <li>and {formatNumber(data.length - SHOWN)} more</li>}
      </ul>
    </details>
  )
}
