import { FilterBar } from '#dashboard/web/ui/filter-bar.tsx'
import { formatNumber } from '#dashboard/web/ui/format.ts'
import { SearchInput } from '#dashboard/web/ui/search-input.tsx'
import { Segments } from '#dashboard/web/ui/segments.tsx'
import { SERVER_STATUSES } from '#shared/kernel/values.ts'
import type { FleetServer } from '#shared/overview/api/fleet.ts'
import type { ServersChange, ServersSearch } from './search.ts'

interface FiltersProps {
  servers: readonly FleetServer[]
  search: ServersSearch
  onChange: (next: ServersChange, replace?: boolean) => void
}

export function Filters({ servers, search, onChange }: FiltersProps) {
  const tags = [...new Set(servers.flatMap((server) => server.tags))].sort()
  return (
    <FilterBar
      page="servers"
      search={
        <>
          <SearchInput
            name="Search servers"
            value={search.q ?? ''}
            onChange={(q, isContinued) => onChange({ q: q || undefined }, isContinued)}
            className="w-full sm:w-72"
          />
          <StatusTabs servers={servers} status={search.status} onChange={onChange} />
        </>
      }
      filters={[
        { name: 'tag', label: 'Tag', options: tags.map((tag) => ({ value: tag, name: tag })) },
      ]}
      values={{ ...search }}
      onChange={onChange}
    />
  )
}

interface StatusTabsProps extends Pick<FiltersProps, 'servers' | 'onChange'> {
  status: string | undefined
}

/** One status at a time, each with how many servers there are of it. */
function StatusTabs({ servers, status, onChange }: StatusTabsProps) {
  const choices = (['all', ...SERVER_STATUSES] as const).map((value) => {
    const count = servers.filter((server) => value === 'all' || server.status === value).length
    const name = (
      <>
        <span className="inline-block first-letter:uppercase">{value}</span>{' '}
        <span className="text-xs tabular-nums opacity-80">{formatNumber(count)}</span>
      </>
    )
    return { value, name }
  })
  return (
    <Segments
      label="Status"
      choices={choices}
      value={status ?? 'all'}
      onChange={(value) => onChange({ status: value === 'all' ? undefined : value })}
    />
  )
}
