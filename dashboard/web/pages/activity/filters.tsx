import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { fleetQuery } from '#dashboard/web/api/fleet.ts'
import { ACTIVITY_TYPES } from '#dashboard/web/labels/activity.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { FilterSelect } from '#dashboard/web/ui/filter-select.tsx'
import { SearchInput } from '#dashboard/web/ui/search-input.tsx'
import { ACTIVITY_STATUSES } from '#shared/values.ts'
import type { ActivitySearch } from './search.ts'

const STATUSES = ACTIVITY_STATUSES.map((value) => ({ value, name: value }))
const NOTHING = { type: undefined, status: undefined, domain: undefined, server_id: undefined }

export function Filters({ search }: { search: ActivitySearch }) {
  const { data: fleet } = useQuery(fleetQuery)
  const navigate = useNavigate({ from: '/activity' })
  const { type, status, domain, server_id } = search
  const set = (change: Record<string, unknown>, replace = false) =>
    void navigate({ search: (old) => ({ ...old, before: undefined, ...change }), replace })
  const servers = (fleet?.servers ?? []).map(({ id, name }) => ({ value: id, name }))
  const isNarrowed = Object.keys(search).some((name) => name !== 'before')
  return (
    <search aria-label="Filters" className="flex flex-wrap items-center gap-2">
      <SearchInput
        name="Exact domain or hostname"
        value={domain ?? ''}
        onChange={(text, isContinued) => set({ domain: text || undefined }, isContinued)}
        className="w-full sm:w-64"
      />
      <FilterSelect
        name="Anything"
        value={type}
        options={ACTIVITY_TYPES}
        onChange={(value) => set({ type: value })}
      />
      <FilterSelect
        name="Any status"
        value={status}
        options={STATUSES}
        onChange={(value) => set({ status: value })}
      />
      <FilterSelect
        name="Any server"
        value={server_id}
        options={servers}
        onChange={(value) => set({ server_id: value })}
      />
      {isNarrowed && (
        <Button kind="quiet" onClick={() => set(NOTHING)}>
          Show all
        </Button>
      )}
    </search>
  )
}
