import { useQuery } from '@tanstack/react-query'
import type { BulkTargets } from '#shared/api/bulk-operations.ts'
import type { BulkType } from '#shared/operation-types/index.ts'
import { planAsks } from './bulk.ts'

interface Bulk {
  type: BulkType
  params: object
  targets: Partial<BulkTargets>
}

/**
 * What a bulk operation would change that Hosting Control did not create; requested from the agents
 * once for each choice.
 */
export function useMustAccept({ type, params, targets }: Bulk, enabled: boolean) {
  const { data, isFetching } = useQuery({
    queryKey: ['must-accept', type, params, targets],
    queryFn: async () => (await planAsks(type, params, targets)) ?? { asks: [], unasked: 0 },
    enabled,
    refetchInterval: false,
    refetchOnWindowFocus: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  })
  return { asks: enabled ? data : undefined, isAsking: enabled && isFetching }
}
