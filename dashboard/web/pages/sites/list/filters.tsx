import { useQuery } from '@tanstack/react-query'
import { fleetQuery, wordpressQuery } from '#dashboard/web/api/fleet.ts'
import type { SitesSearch } from '#dashboard/web/features/sites/search.ts'
import { FilterBar, type Values } from '#dashboard/web/ui/filter-bar.tsx'
import type { Filter } from '#dashboard/web/ui/filter-options.tsx'
import { FilterSelect } from '#dashboard/web/ui/filter-select.tsx'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import { SearchInput } from '#dashboard/web/ui/search-input.tsx'
import type { FleetServer } from '#shared/overview/api/fleet.ts'
import { HEALTH, OTHERS, PHP, SORTED_BY, STATUSES, TIER_OPTIONS, TLS } from './options.ts'

interface FiltersProps {
  search: SitesSearch
  onChange: (change: Values, replace?: boolean) => void
}

export function Filters({ search, onChange }: FiltersProps) {
  const { data } = useQuery(fleetQuery)
  const wordpress = useQuery(wordpressQuery)
  const versions = (wordpress.data ?? []).map(({ version }) => version)
  const filters = [
    ...filtersOf(data?.servers ?? [], data?.counts.health ?? {}),
    wordpressFilter(versions, search.wp_version),
  ]
  return (
    <FilterBar
      page="sites"
      search={
        <SearchInput
          name="Search sites"
          placeholder="Domain, alias or system user"
          value={search.q ?? ''}
          onChange={(q, isContinued) => onChange({ q: q || undefined }, isContinued)}
          pause_ms={120}
          className="min-w-48 flex-1 sm:max-w-sm"
        />
      }
      filters={filters}
      values={{ ...search }}
      onChange={onChange}
    >
      <div className="md:hidden">
        <FilterSelect
          name="Order"
          value={search.sort}
          options={SORTED_BY}
          onChange={(sort) => onChange({ sort })}
        />
      </div>
    </FilterBar>
  )
}

/** The versions of the fleet, each with its branch, which includes all its releases. */
function wordpressFilter(versions: readonly string[], chosen = ''): Filter {
  const branches = versions.map((version) => version.split('.').slice(0, 2).join('.'))
  const given = chosen.split(',').filter(Boolean)
  const all = [...new Set([...branches, ...versions, ...given])]
  return {
    ...{ name: 'wp_version', label: 'WordPress', isMany: true },
    options: all.map((value) => ({ value, name: value })),
  }
}

function filtersOf(servers: readonly FleetServer[], health: Record<string, number>): Filter[] {
  const tags = [...new Set(servers.flatMap(({ tags }) => tags))].sort()
  return [
    { name: 'status', label: 'Status', options: STATUSES, isMany: true },
    {
      ...{ name: 'health', label: 'Health', isMany: true },
      options: HEALTH.map(({ value, name }) => ({
        value,
        name: `${name} (${formatNumber(health[value] ?? 0)})`,
      })),
    },
    {
      ...{ name: 'server_id', label: 'Server' },
      options: servers.map(({ id, name }) => ({ value: String(id), name })),
    },
    { name: 'tag', label: 'Tag', options: tags.map((tag) => ({ value: tag, name: tag })) },
    { name: 'php', label: 'PHP', options: PHP, isMany: true },
    { name: 'tier', label: 'Tier', options: TIER_OPTIONS, isMany: true },
    { name: 'tls', label: 'TLS', options: TLS, isMany: true },
    ...OTHERS,
  ]
}
