import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { fleetQuery } from '#dashboard/web/api/fleet.ts'
import { ACTIVITY_TYPES } from '#dashboard/web/labels/activity.ts'
import { FilterBar, type Values } from '#dashboard/web/ui/filter-bar.tsx'
import { SearchInput } from '#dashboard/web/ui/search-input.tsx'
import { ACTIVITY_STATUSES } from '#shared/kernel/values.ts'
import type { ActivitySearch } from './search.ts'

const STATUSES = ACTIVITY_STATUSES.map((value) => ({ value, name: value }))

export function Filters({ search }: { search: ActivitySearch }) {
  const { data: fleet } = useQuery(fleetQuery)
  const navigate = useNavigate({ from: '/activity' })
  const { before: _, ...values } = search
  const set = (change: Values, replace = false) =>
    void navigate({ search: (old) => ({ ...old, before: undefined, ...change }), replace })
  const servers = (fleet?.servers ?? []).map(({ id, name }) => ({ value: String(id), name }))
  return (
    <FilterBar
      page="activity"
      search={
        <SearchInput
          name="Exact domain or hostname"
          value={search.domain ?? ''}
          onChange={(text, isContinued) => set({ domain: text || undefined }, isContinued)}
          className="w-full sm:w-64"
        />
      }
      filters={[
        { name: 'type', label: 'Action', options: ACTIVITY_TYPES },
        { name: 'status', label: 'Status', options: STATUSES },
        { name: 'server_id', label: 'Server', options: servers },
      ]}
      values={values}
      onChange={set}
    />
  )
}
