import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { fleetQuery } from '#dashboard/web/api/fleet.ts'
import { OPERATION_CHOICES } from '#dashboard/web/labels/operation.ts'
import { FilterBar } from '#dashboard/web/ui/filter-bar.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { OPERATION_STATUSES } from '#shared/kernel/values.ts'
import type { OperationsSearch } from './search.ts'

const STATUSES = OPERATION_STATUSES.map((value) => ({ value, name: value }))
interface FiltersProps {
  search: OperationsSearch
  /** The domain of the site, once one of its operations is loaded. */
  domain: string | undefined
}

export function Filters({ search, domain }: FiltersProps) {
  const { data: fleet } = useQuery(fleetQuery)
  const navigate = useNavigate({ from: '/operations' })
  const { before: _, ...values } = search
  const servers = (fleet?.servers ?? []).map(({ id, name }) => ({ value: String(id), name }))
  return (
    <FilterBar
      page="operations"
      filters={[
        { name: 'status', label: 'Status', options: STATUSES, isMany: true },
        { name: 'type', label: 'Type', options: OPERATION_CHOICES },
        { name: 'server_id', label: 'Server', options: servers },
        {
          ...{ name: 'site_id', label: 'Site', isFixed: true },
          options:
            domain === undefined ? [] : [{ value: search.site_id ?? '', name: unicodeOf(domain) }],
        },
        { name: 'bulk_id', label: 'Bulk operation', options: [], isFixed: true },
      ]}
      values={values}
      onChange={(change) =>
        void navigate({ search: (old) => ({ ...old, before: undefined, ...change }) })
      }
    />
  )
}
