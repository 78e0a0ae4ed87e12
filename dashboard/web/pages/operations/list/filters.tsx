import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { fleetQuery } from '#dashboard/web/api/fleet.ts'
import { OPERATION_CHOICES } from '#dashboard/web/labels/operation.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { FilterSelect } from '#dashboard/web/ui/filter-select.tsx'
import { OPERATION_STATUSES } from '#shared/values.ts'
import type { OperationsSearch } from './search.ts'

const STATUSES = OPERATION_STATUSES.map((value) => ({ value, name: value }))
const NOTHING = {
  status: undefined,
  type: undefined,
  server_id: undefined,
  site_id: undefined,
  bulk_id: undefined,
}

interface FiltersProps {
  search: OperationsSearch
  /** The domain of the site, once one of its operations is seen. */
  domain: string | undefined
}

export function Filters({ search, domain }: FiltersProps) {
  const { data: fleet } = useQuery(fleetQuery)
  const navigate = useNavigate({ from: '/operations' })
  const { status, type, server_id, site_id } = search
  const set = (change: Record<string, unknown>) =>
    void navigate({ search: (old) => ({ ...old, before: undefined, ...change }) })
  const servers = (fleet?.servers ?? []).map(({ id, name }) => ({ value: id, name }))
  const isNarrowed = Object.keys(search).some((name) => name !== 'before')
  return (
    <search aria-label="Filters" className="flex flex-wrap items-center gap-2">
      <FilterSelect
        name="Any status"
        value={status}
        options={STATUSES}
        onChange={(value) => set({ status: value })}
      />
      <FilterSelect
        name="Any kind"
        value={type}
        options={OPERATION_CHOICES}
        onChange={(value) => set({ type: value })}
      />
      <FilterSelect
        name="Any server"
        value={server_id}
        options={servers}
        onChange={(value) => set({ server_id: value })}
      />
      {site_id !== undefined && (
        <Button icon={<X aria-hidden />} onClick={() => set({ site_id: undefined })}>
          Only {domain ?? 'one site'}
        </Button>
      )}
      {search.bulk_id !== undefined && (
        <Button icon={<X aria-hidden />} onClick={() => set({ bulk_id: undefined })}>
          Only one bulk operation
        </Button>
      )}
      {isNarrowed && (
        <Button kind="quiet" onClick={() => set(NOTHING)}>
          Show all
        </Button>
      )}
    </search>
  )
}
