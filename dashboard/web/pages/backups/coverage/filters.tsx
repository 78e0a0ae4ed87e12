import { useQuery } from '@tanstack/react-query'
import { fleetQuery } from '#dashboard/web/api/fleet.ts'
import { COVERAGE } from '#dashboard/web/labels/backup.ts'
import { FilterBar, type Values } from '#dashboard/web/ui/filter-bar.tsx'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import { SearchInput } from '#dashboard/web/ui/search-input.tsx'
import { type BackupCoverage, COVERAGE_STATES } from '#shared/backups/api/backup-coverage.ts'

interface FiltersProps {
  values: Values
  counts: BackupCoverage['counts'] | undefined
  onChange: (change: Values, replace?: boolean) => void
}

export function Filters({ values, counts, onChange }: FiltersProps) {
  const { data: fleet } = useQuery(fleetQuery)
  const servers = (fleet?.servers ?? []).map(({ id, name }) => ({ value: String(id), name }))
  const states = COVERAGE_STATES.map((value) => ({
    value,
    name: `${COVERAGE[value].name}${counts ? ` (${formatNumber(counts[value])})` : ''}`,
  }))
  return (
    <FilterBar
      page="backups"
      search={
        <SearchInput
          name="Search sites"
          placeholder="Domain or system user"
          value={values.q ?? ''}
          onChange={(q, isContinued) => onChange({ q: q || undefined }, isContinued)}
          pause_ms={120}
          className="min-w-48 flex-1 sm:max-w-sm"
        />
      }
      filters={[
        { name: 'state', label: 'Backups', options: states, isMany: true },
        { name: 'server_id', label: 'Server', options: servers },
      ]}
      values={values}
      onChange={onChange}
    />
  )
}
